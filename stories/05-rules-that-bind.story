# A team writes down what it decided, and every agent is held to it.

# The decision is a file; nobody has to import or sync anything.
@ file company/adrs/adr-042-database-selection.md
| ---
| id: adr-042-database-selection
| title: Database Selection for New Services
| summary: Use PostgreSQL for all new services requiring relational data
| status: accepted
| severity: block
| tags: [database, infrastructure]
| constraints:
|   - operator: must_not_use
|     target: dependency
|     pattern: mysql|mysql2|mariadb
|     message: MySQL not allowed for new services per ADR-042. Use PostgreSQL instead.
|   - operator: must_not_use
|     target: import
|     pattern: ^mysql2?$
|     appliesTo: src/**
| ---
| # Database Selection for New Services
|
| Three teams ran three databases, and nobody could restore the third.

# An agent that is about to choose a database finds it,
> knowledge_query {"query": "which database should a new service use?"}
< {"success": true, "items": [{"id": "adr-042-database-selection", "type": "adr", "layer": "company", "title": "Database Selection for New Services", "summary": "$*", "status": "accepted", "tags": ["database", "infrastructure"], "hasConstraints": true}], "totalCount": 1}

# reads it,
> knowledge_show {"id": "adr-042-database-selection"}
< {"success": true, "item": {"content": "$*nobody could restore the third.", "severity": "block", "...": 0}}

# and is told before it does the wrong thing: by dependency, or by file and line.
> knowledge_check {"dependencies": [{"name": "mysql2", "version": "3.0.0"}, {"name": "mysql-connector"}]}
< {"passed": false, "violations": [{"knowledgeItemId": "adr-042-database-selection", "message": "MySQL not allowed for new services per ADR-042. Use PostgreSQL instead.", "severity": "block", "...": 0}], "summary": {"info": 0, "warn": 0, "block": 1}}
> knowledge_check {"files": [{"path": "src/db.ts", "content": "// our store\nimport {\n  createPool\n} from 'mysql2';\n"}, {"path": "scripts/old.js", "content": "require('mysql2')"}]}
< {"passed": false, "violations": [{"location": {"file": "src/db.ts", "line": 2}, "...": 0}], "...": 0}

# Those who only search their memories come by it as well, once it is synced.
> sync_now {}
< {"success": true, "result": {"added": 1, "updated": 0, "deleted": 0, "unchanged": 0, "failures": 0}, "...": 0}
> memory_search {"query": "which database should a new service use?"}
< {"results": [{"content": "Database Selection for New Services$*adr-042-database-selection$*", "layer": "company", "...": 0}], "...": 0}

# What is accepted is not edited but superseded; who edits it is told.
@ file company/adrs/adr-042-database-selection.md
| ---
| id: adr-042-database-selection
| title: Database Selection for New Services
| summary: Use whatever you like
| status: accepted
| ---
| # Database Selection for New Services
> sync_now {}
< {"result": {"updated": 1, "...": 0}, "message": "$*text changed since: adr-042-database-selection$*", "...": 0}
@ no file company/adrs/adr-042-database-selection.md
> sync_now {}
< {"result": {"deleted": 1, "...": 0}, "...": 0}
> memory_search {"query": "which database should a new service use?"}
< {"results": [], "...": 0}
> sync_status {}
< {"healthy": true, "failedItems": 0, "stats": {"totalSyncs": 3, "totalItemsSynced": 3, "...": 0}, "...": 0}
