#!/usr/bin/env bash
# Keycloak imports the discovery document of an OpenID provider when someone adds an identity provider in its console. The document
# says that the provider takes PKCE by S256 and which scopes it has; the import takes over neither.
#
# Versions: org.keycloak:keycloak-quarkus-dist 26.7.3 (Maven Central), Java 17.
# Expected: code_challenge_methods_supported ["S256"] turns "Use PKCE" on, and scopes_supported is offered as the scopes to ask for.
# Seen: the imported settings have neither pkceEnabled nor defaultScope. Keycloak then asks without PKCE, which a provider that
# demands it answers with invalid_request, and for the scope openid alone, so that each person is asked to type a name and address that
# the provider would have told. Whoever writes a guide for Keycloak as a caller has to name both settings.
#
# Needs Java 17, Maven, curl and Python 3, and the ports 18180 and 18181 of this machine. Exits with 1 once the import takes one over.
set -euo pipefail

folder=$(mktemp -d)
children=()
cleanup() {
  for child in "${children[@]}"; do kill -- "-$child" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"

mvn -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
  -Dartifact=org.keycloak:keycloak-quarkus-dist:26.7.3:zip -DoutputDirectory=. >/dev/null
python3 -m zipfile -e keycloak-quarkus-dist-26.7.3.zip .

issuer=http://127.0.0.1:18181
mkdir -p site/.well-known
cat >site/.well-known/openid-configuration <<DOCUMENT
{ "issuer": "$issuer", "authorization_endpoint": "$issuer/auth", "token_endpoint": "$issuer/token",
  "userinfo_endpoint": "$issuer/me", "jwks_uri": "$issuer/jwks", "response_types_supported": ["code"],
  "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
  "token_endpoint_auth_methods_supported": ["client_secret_basic"],
  "code_challenge_methods_supported": ["S256"], "scopes_supported": ["openid", "email", "profile"] }
DOCUMENT
set -m
(cd site && exec python3 -m http.server 18181 --bind 127.0.0.1 >/dev/null 2>&1) &
children+=($!)
export KC_BOOTSTRAP_ADMIN_USERNAME=admin KC_BOOTSTRAP_ADMIN_PASSWORD=admin
bash keycloak-26.7.3/bin/kc.sh start-dev --http-host=127.0.0.1 --http-port=18180 >keycloak.log 2>&1 &
children+=($!)
set +m

keycloak=http://127.0.0.1:18180
for _ in $(seq 180); do curl -sf "$keycloak/realms/master" >/dev/null && break; sleep 1; done
token=$(curl -sf "$keycloak/realms/master/protocol/openid-connect/token" -d grant_type=password -d client_id=admin-cli \
  -d username=admin -d password=admin | python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')
curl -sf "$keycloak/admin/realms/master/identity-provider/import-config" -H "authorization: Bearer $token" \
  -H 'content-type: application/json' -d "{\"providerId\": \"oidc\", \"fromUrl\": \"$issuer/.well-known/openid-configuration\"}" >imported
echo "imported: $(cat imported)"
python3 - <<'CHECK'
import json
imported = json.load(open("imported"))
assert imported["tokenUrl"].endswith("/token"), "the document was not imported"
taken = [name for name in ("pkceEnabled", "pkceMethod", "defaultScope") if imported.get(name)]
print("taken over:", taken or "neither PKCE nor scopes")
raise SystemExit(1 if taken else 0)
CHECK
