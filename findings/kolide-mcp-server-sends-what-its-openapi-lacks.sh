#!/usr/bin/env bash
# Three tools of the Kolide MCP server of 1Password send members that the OpenAPI documents beside it do not have.
#
# Version: github.com/kolide/device-trust-mcp-server at 95174ea2 (June 2026), mcp 1.26.0 (PyPI).
# Expected: what a tool sends in a body is a member of the request body in openapi/openapi2026-04-07.json, which the repository calls
# the contract and its tests hold the paths of the tools to.
# Seen: create_check_refresh sends check_ids (the document has check_id), add_device_to_group sends device_id (device_ids), and
# update_exemption_request sends reviewer_note (internal_message). Tests compare paths and methods, and not members.
# What it means: a server that is written from the documents refuses these three, or ignores what they say. Take both names.
#
# Needs git and Python 3.11 or later with venv. Exits with 1 once the tools and the documents agree, or differ in other members.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
git clone --quiet https://github.com/kolide/device-trust-mcp-server server
git -C server checkout --quiet 95174ea28ff426e4fb240ec1d59a505384df3165
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mcp==1.26.0 python-dotenv==1.2.2

PYTHONPATH=server/src venv/bin/python - <<'PROGRAM'
import json
import re
import sys

from kolide_mcp.endpoints import ENDPOINTS

document = json.load(open('server/openapi/openapi2026-04-07.json'))


def plain(path):
    return re.sub(r'\{\w+\}', '{}', path)


bodies = {}
for path, methods in document['paths'].items():
    for method, operation in methods.items():
        body = operation.get('requestBody') if isinstance(operation, dict) else None
        if body:
            name = body['content']['application/json']['schema']['$ref'].rsplit('/', 1)[-1]
            bodies[(method.upper(), plain(path))] = set(document['components']['schemas'][name]['properties'])

expected = {
    'create_check_refresh': ['check_ids'],
    'add_device_to_group': ['device_id'],
    'update_exemption_request': ['reviewer_note'],
}
seen = {}
for tool in ENDPOINTS:
    known = bodies.get((tool.method, plain(tool.path)))
    if known is None or tool.body_param or tool.name not in expected:
        continue
    unknown = sorted({param.name for param in tool.params} - known)
    if unknown:
        seen[tool.name] = unknown
print(json.dumps(seen))
sys.exit(0 if seen == expected else 1)
PROGRAM
