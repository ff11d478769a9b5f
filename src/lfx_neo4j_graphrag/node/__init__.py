"""What the Langflow node calls. Flows keep old copies of the node's file, so these names and arguments stay:

``register_spanish``, ``is_parameter_field``, ``sync_template``, ``make_tool``, ``run``, ``for_chat``, ``sentence``.
The values of the fields arrive as one dict and missing names have defaults, so a field can be added at any time.
"""

from __future__ import annotations

from .running import for_chat, run, sentence
from .spanish import register_spanish
from .template import is_parameter_field, sync_template
from .tools import make_tool

__all__ = ["for_chat", "is_parameter_field", "make_tool", "register_spanish", "run", "sentence", "sync_template"]
