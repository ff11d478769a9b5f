"""Every default number of the pack, with the reason for it."""

from __future__ import annotations

# What an agent gets to read. 2048 tokens is what a model reads without losing the thread (seed figure).
TOKEN_LIMIT = 2048
# Rows of a Cypher answer per Number of Results in the node; MAX_ROWS over MCP.
ROWS_PER_RESULT = 20
MAX_ROWS = 100
NUMBER_OF_RESULTS = 5

# Seconds a statement may run on the server (reads, writes per batch, EXPLAIN), and how much later the
# client gives up: some statements ignore the server's timeout or are never answered.
QUERY_TIMEOUT = 10.0
CLIENT_GRACE = 2.0
CONNECT_TIMEOUT = 5.0
# Seconds for which a server's abilities are remembered: an upgrade is noticed, a search does not ask each time.
CAPABILITIES_SECONDS = 60.0
# Statements of users that may run at once per server: each one that the server cannot stop burns a core.
USER_STATEMENTS = 4
# A refused login is not tried again for so long: Neo4j locks a user out after three in a row, for as long.
REFUSED_SECONDS = 5.0
# Idle drivers kept per event loop: bounds sockets when flows use many servers or passwords.
IDLE_DRIVERS = 8

# Rows per write transaction: between 500 and 10,000 the speed is flat, so memory decides.
WRITE_BATCH = 2000
# Transactions at once while rows are new: two keep a server with two cores busy, more only meet in deadlocks.
WRITE_STREAMS = 2
# Characters of text in one write transaction: its memory on the server is a few times that.
WRITE_CHARACTERS = 4_000_000
# Rows that the server may refuse one by one; after so many, something is wrong with all of them.
SERVER_REJECTS = 50
# Seconds in which the driver repeats a transaction after a deadlock.
RETRY_TIME = 15.0
# Seconds for making a constraint (checked on every node of its label) and for filling new indexes.
SCHEMA_CHANGE_TIMEOUT = 120.0
INDEX_TIMEOUT = 600.0
EMBED_BATCH = 64
# Vectors stored in one transaction: 512 of 1,536 numbers are 6 MB.
VECTOR_BATCH = 512
# Texts that are embedded in parts too: an hour of work must not be lost for the want of a few minutes.
PARTS_BATCH = 64
# The property that holds the vector of a node, and the analyzer of a full-text index when none is chosen: it folds
# accents and drops no words of any language.
EMBEDDING_PROPERTY = "embedding"
# Added to that name: the vectors of the parts of a long text (retrieval/parts.py).
PARTS_ENDING = "_parts"
VECTOR_PROPERTIES = frozenset({EMBEDDING_PROPERTY, EMBEDDING_PROPERTY + PARTS_ENDING})
FULLTEXT_ANALYZER = "standard-folding"

# Lists of this many items or more, and vectors, are noise for a reader and become a marker.
LONG_LIST = 52
LONG_STRING = 2000

# Candidates per search branch whatever Number of Results is: with fewer, approximate indexes miss true hits.
CANDIDATES = 50
QUANTIZED_CANDIDATES = 100
# In a burst of searches the list of indexes is that of the one before: a new index is seen this much later, one that is gone at
# once. Short, because whoever makes an index and searches next expects it to be there.
INDEX_LIST_SECONDS = 0.25

# A short column is worth indexing for words and for filters; a longer one is text.
SHORT_TEXT = 64
FILTERABLE_COLUMNS = 50
# UTF-8 bytes of a string in a filterable property of a vector index; one more panics a 2026.08 database.
MAX_FILTER_BYTES = 32_766
# UTF-8 bytes of a key: the largest an index entry of the server takes is a little under 8 kB.
MAX_KEY_BYTES = 8_000

# Real values shown to a model or in a tool description: one line, short, few, never the text column.
SAMPLE_VALUES = 8
SAMPLE_VALUE_CHARS = 40

# The embedded server. 512 MB of heap serve the demo and 100,000 rows in 390 MB of real memory; a transaction
# may take half of it, so that one query cannot end the server.
SERVER_HEAP = "512m"
SERVER_TRANSACTION_MEMORY = "256m"
# Seconds. A start takes 4 to 6, on a machine where everything computes a minute and more (counted from the last line of the
# server's log); a stop takes 2 to 3.
SERVER_START_TIMEOUT = 180.0
SERVER_STOP_TIMEOUT = 30.0
# 8 threads fetch the jars as fast as 16 (57 and 62 s); the time-out is per request, in seconds.
DOWNLOAD_THREADS = 8
DOWNLOAD_TIMEOUT = 30

# What a user's Cypher may look like: beyond this the server can hang for ever without an error (deep expressions),
# or work on what it cannot stop (a range inside an expression).
MAX_CYPHER_BYTES = 20_000
MAX_DEPTH = 100
MAX_CHAIN = 100
MAX_RANGE = 10_000_000

# Seconds a caller waits for one of the USER_STATEMENTS, and how long a statement that was given up on counts when the
# server does not say whether it still runs.
SLOT_WAIT = 2.0
GIVEN_UP_SECONDS = 300.0
# An EXPLAIN's verdict depends on the text and on the server's procedures, which may be replaced at any time.
VERDICT_SECONDS = 60.0
VERDICTS = 512

# Searches. A filtered set of up to this many members is compared one by one (2,000 vectors of 384 numbers take 50 ms);
# above it the index is asked for ever more candidates, and at last everything is compared while the timeout lasts.
EXACT_MEMBERS = 2000
OVERFETCH_STEPS = (200, 1000, 5000)
EXACT_MOST = 200_000
TEXT_OVERFETCH_STEPS = (200, 2000)
# Texts that hold a code of the question, read without their content: all of them should outrank the others.
CODE_CANDIDATES = 200
# Values of a property that are looked at before a filter on it is typed, and the seconds that may take.
FILTER_SAMPLE = 200
FILTER_SAMPLE_SECONDS = 2.0
# Cosine between a stored vector and the same text embedded now. The same model gives 1, another model of the same
# dimension about 0; a text that was embedded together with a title still gives more than this.
SAME_MODEL_COSINE = 0.75
# Neighbours per relationship type and direction. A node of more than SMALL_DEGREE relationships is a hub: its
# neighbours are counted by the degree store, not visited.
NEIGHBOURS_PER_TYPE = 5
SMALL_DEGREE = 200

# Language models. Seconds per call: a long answer (20,000 tokens) takes some minutes. Attempts per call and the seconds
# between them: 35 in all outlive the minute window of most rate limits together with the calls themselves. A provider that
# asks for a longer wait than MODEL_WAIT_MOST means a daily quota: waiting is no use.
MODEL_TIMEOUT = 180.0
MODEL_RETRIES = 4
MODEL_WAITS = (1.0, 4.0, 10.0, 20.0)
MODEL_WAIT_MOST = 60.0
MODEL_CONCURRENCY = 4

# Build Graph. Characters of a document that one call reads (about 15,000 tokens: what current models read without losing
# items), what neighbouring sections share, and the shortest text that is divided once more when an answer breaks off.
READ_CHARS = 60_000
READ_OVERLAP = 1_000
READ_LEAST = 1_500
# Source chunks: passages of about a paragraph. A document in one piece is divided when it is longer than the first number;
# of a document that came in several pieces, those up to the second are somebody's own division and stay.
CHUNK_UNSPLIT = 1_500
CHUNK_KEPT = 4_000
CHUNK_CHARS = 800
CHUNK_BEFORE = 300
# Characters of all samples from which a schema is proposed (about 7,000 tokens).
PROPOSAL_CHARS = 28_000
# Keys of a type that are read to match names whatever their case and accents; a larger type is matched exactly.
KEYS_MOST = 200_000
# Remembered model answers: at about 2 kB each, 100 MB at most.
ANSWERS_MOST = 50_000
# Seconds. Langflow takes 25 to start on two free cores, minutes when others use them.
EDITOR_START_TIMEOUT = 420.0
EDITOR_STOP_TIMEOUT = 20.0
# Characters of a text that the local embedding model reads: some 5,000 tokens, ten of its windows, about a second.
LOCAL_EMBEDDING_CHARS = 20_000

# Value linking reads so many nodes of a label and keeps so many values of a property: 20,000 nodes take some 50 ms.
LINKING_NODES = 20_000
LINKING_VALUES = 2_000
# Characters of the longest text that can be a name; seconds after which linking is done without.
LINKING_LENGTH = 100
LINKING_SECONDS = 3.0
# Tokens of the schema in a prompt, above which it is pruned to the question.
PROMPT_SCHEMA_TOKENS = 3_000

# How many nodes of a label are looked at, and for how many seconds, to learn what type a parameter is compared with;
# how long that is believed.
PARAMETER_NODES = 50_000
PARAMETER_SECONDS = 1.0
STORED_TYPE_SECONDS = 60.0

# Graph Schema. Seconds for everything; of up to SCHEMA_LISTED nodes or relationships all ids are listed by one statement
# (0.02 s), which spares planning one per label. A label or type of up to SCHEMA_WHOLE entries is read whole, of a larger one the
# first and the last SCHEMA_EDGE and those among SCHEMA_SPREAD evenly spaced in the store (20 labels: 0.1 s). Patterns that
# the counts leave open are read from all relationships of a type up to SCHEMA_ENDS (0.1 s), beyond that from a sample.
# Names of properties that were met nowhere are looked for in graphs of up to SCHEMA_SEARCHED nodes and relationships (0.1 s).
SCHEMA_TIMEOUT = 5.0
SCHEMA_LISTED = 20_000
SCHEMA_WHOLE = 1000
SCHEMA_EDGE = 100
SCHEMA_SPREAD = 2000
SCHEMA_ENDS = 100_000
SCHEMA_SEARCHED = 100_000
# Labels or types named in one statement (the server plans longer ones disproportionately long), ids per statement that
# names none, and statements at once.
SCHEMA_BATCH = 5
SCHEMA_LOAD = 1500
SCHEMA_STATEMENTS = 3
# A cached schema is checked by counts and indexes at each use; values may change without either, so it isn't kept longer.
SCHEMA_CACHE_SECONDS = 60.0
SCHEMA_CACHE = 32

# MCP server. It listens where only this machine reaches it. One write may change so much before it is rolled back: an
# agent's mistake stays small, and a larger change is a load (Add Records).
MCP_HOST = "127.0.0.1"
MCP_PORT = 8000
MAX_WRITES = 1000
# Results of a search over MCP when the caller does not say.
TOP_K = 10
# Seconds that a list of tools waits for the database, that pass between two looks at its indexes, and for which what
# was seen of the values of an index is believed.
TOOL_LIST_WAIT = 2.0
INDEX_LOOK_SECONDS = 10.0
INDEX_VALUES_SECONDS = 300.0
# Filters of a search tool: every filterable property of the index, and others up to so many in all; each is about 40
# tokens of every conversation. Nodes looked at for each index: so many first ones, and as many last ones.
TOOL_FILTERS = 20
TOOL_SAMPLE = 200
