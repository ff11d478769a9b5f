"""What the tests of the MCP server share."""
