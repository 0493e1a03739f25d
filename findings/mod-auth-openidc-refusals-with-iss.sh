#!/usr/bin/env bash
# mod_auth_openidc takes a refusal of the provider that names its issuer for a request to begin a sign-in.
#
# Versions: libapache2-mod-auth-openidc 2.4.12.3-2+deb12u5, apache2-bin 2.4.71-1~deb12u1 (Debian 12, amd64).
# Expected: an authorization response with an error has `error`, `state` and, of a provider that follows RFC 9207 §2, `iss`; the person
# reads the error, as they do when the same response comes without `iss`.
# Seen: with `iss` the person reads "SSO to this module without specifying a "target_link_uri" parameter is not possible", as `iss` is also a
# parameter by which a third party begins a sign-in (OpenID Connect Core 1.0 §4). The error is told to nobody.
# Where that matters: whoever cancels a sign-in, or is refused, meets the words of a misconfiguration.
#
# Needs Debian 12 on amd64 with its package lists (apt-get update), and Python 3. Exits with 1 once the error is shown.
set -euo pipefail

folder=$(mktemp -d)
cleanup() {
  kill "$(cat "$folder/apache.pid" 2>/dev/null)" 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
apt-get download -q libapache2-mod-auth-openidc=2.4.12.3-2+deb12u5 apache2-bin=2.4.71-1~deb12u1 \
  libcjose0 libjansson4 libhiredis0.14 libapr1 libaprutil1 liblua5.3-0 libpcre2-8-0 libcurl4 libssl3 >/dev/null
for package in ./*.deb; do dpkg-deb -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
site=http://127.0.0.1:$port
issuer=https://provider.example

mkdir www
{
  echo "ServerName 127.0.0.1"
  echo "Listen 127.0.0.1:$port"
  echo "PidFile $folder/apache.pid"
  echo "ErrorLog $folder/error.log"
  echo "DefaultRuntimeDir $folder"
  for module in mpm_event authn_core authz_core authz_user auth_openidc; do
    echo "LoadModule ${module}_module $folder/root/usr/lib/apache2/modules/mod_$module.so"
  done
  echo "DocumentRoot $folder/www"
  echo "OIDCProviderIssuer $issuer"
  echo "OIDCProviderAuthorizationEndpoint $issuer/auth"
  echo "OIDCProviderTokenEndpoint $issuer/token"
  echo "OIDCProviderJwksUri $issuer/jwks"
  echo "OIDCClientID client"
  echo "OIDCClientSecret secret"
  echo "OIDCRedirectURI $site/callback"
  echo "OIDCCryptoPassphrase passphrase"
  echo "<Directory $folder/www>"
  echo "Require all granted"
  echo "</Directory>"
  echo "<Location />"
  echo "AuthType openid-connect"
  echo "Require valid-user"
  echo "</Location>"
} >apache.conf
root/usr/sbin/apache2 -f "$folder/apache.conf" -k start
for _ in $(seq 50); do
  curl -s -o /dev/null "$site/" && break
  sleep 0.2
done

# What a browser reads when the provider answers with an error; "$1" is what it adds.
refused() {
  local state
  rm -f jar
  state=$(curl -s -c jar -o /dev/null -H 'accept: text/html' -w '%{redirect_url}' "$site/" | sed -E 's/.*[?&]state=([^&]+).*/\1/')
  curl -s -b jar "$site/callback?error=access_denied&error_description=no&state=$state$1" | sed -E 's/<[^>]*>/ /g' | tr -s ' \n' ' '
}
without=$(refused '')
with=$(refused "&iss=https%3A%2F%2Fprovider.example")
echo "without iss: $without"
echo "with iss:    $with"
[[ $without == *access_denied* ]] && [[ $with == *target_link_uri* ]]
