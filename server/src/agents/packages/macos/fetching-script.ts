import type { Enrollment } from '../osquery-files.ts'
import { partPath } from '../parts/part-path.ts'
import { shellWord } from '../shell-text.ts'
import { fetchedFolders } from './fetched-program.ts'
import { macHome, macLabel, macPlaces } from './mac-places.ts'
import { authorityName, macConfig, systemPath } from './mac-scripts.ts'

/** What the script fetches on Macs with one processor, by the SHA-256 in hexadecimal. */
export type FetchedByMac = {
  /** As `uname -m` prints it. */
  processor: 'arm64' | 'x86_64'
  program: string
  node: string
  /** As in `13.5`; null where it is not known. */
  lowestMacos: string | null
}

/**
 * A script for root that fetches the companion and its Node from the server, and installs them: small enough for what an MDM takes as a
 * script. What it fetches holds no secret, so it is checked by its hash alone.
 */
export const fetchingScript = (
  version: string,
  enrollment: Enrollment,
  fetched: readonly FetchedByMac[],
): string => `#!/bin/sh
# Muster companion ${version}: fetches the program for this Mac from ${enrollment.baseUrl}, and installs it.
# Run it as root: sudo sh <this file>. It contains an enrollment secret: anyone who reads it can enroll a device.
# It ends with 0 where the companion is started, also where this script has done so before, and else with 1.
set -eu
PATH=${systemPath}
export PATH
server=${shellWord(enrollment.baseUrl)}
home=/${macHome}
say() { printf '%s\\n' "muster-companion: $*"; }
stop() {
  say "$*" >&2
  exit 1
}

# take HASH FILE: what the server has by this hash.
take() {
  tries=0
  until answer=$(curl -q --silent --show-error --proto '=http,https' --connect-timeout 30 --speed-limit 1000 --speed-time 60 \\
    --retry 200 --retry-connrefused --retry-max-time 900 ${authorityOf(enrollment)}--output "$work/$2" --write-out '%{http_code}' \\
    "$server${partPath}/$1"); do
    if [ $? = 60 ]; then
      stop "this Mac cannot check the certificate of $server: set MUSTER_TLS_CA_FILE on the server, then download the script again"
    fi
    tries=$((tries + 1))
    [ "$tries" -lt 3 ] || stop "the program could not be fetched from $server"
    sleep 10
  done
  case $answer in
    200) ;;
    404) stop "$server no longer has what this script needs: download the script again" ;;
    *) stop "$server answered $answer: try again later" ;;
  esac
  [ "$(shasum -a 256 "$work/$2" | cut -c 1-64)" = "$1" ] || stop "what $server sent does not match the hash in this script"
}

# As a function, a script of which only a part has come does nothing.
install_companion() {
  [ "$(id -u)" = 0 ] || stop "run it as root: sudo sh $0"
  [ "$(uname -s)" = Darwin ] || stop 'this script is for macOS'
  # Also where this shell itself runs under Rosetta.
  if [ "$(sysctl -n hw.optional.arm64 2>/dev/null || true)" = 1 ]; then processor=arm64; else processor=x86_64; fi
  case $processor in
${fetched.map(branch).join('\n')}
    *) stop "this script has no program for $processor: add a runtime for it on the server, then download the script again" ;;
  esac
  macos=$(sw_vers -productVersion)
  if [ "$(printf '%s\\n' "$lowest" "$macos" | sort -t . -k 1,1n -k 2,2n | head -n 1)" != "$lowest" ]; then
    stop "the companion needs macOS $lowest or later, and this is macOS $macos"
  fi
  installed="$server ${version} $program $node"
  if [ "$(cat ${shellWord(macPlaces.installed)} 2>/dev/null || true)" = "$installed" ] &&
    launchctl print system/${macLabel} >/dev/null 2>&1; then
    say 'this version is already installed'
    return
  fi

  work=$(mktemp -d /tmp/muster-companion.XXXXXX)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  umask 077
  mkdir "$work/config"
${macConfig(enrollment).map(write).join('\n')}
  take "$program" program.tar.gz
  take "$node" node.gz
  umask 022
  mkdir "$work/fetched"
  tar -xzf "$work/program.tar.gz" -C "$work/fetched"
  new=$work/fetched/${fetchedFolders.program}
  mkdir -p "$new/bin"
  gzip -dc "$work/node.gz" > "$new/bin/node"
  chmod 755 "$new/bin/node"
  chown -R 0:0 "$new"
  cp -p "$work/config/"* "$work/fetched/${fetchedFolders.scripts}/"
  mkdir -p "\${home%/*}"
  rm -rf "$home"
  mv "$new" "$home"
  "$work/fetched/${fetchedFolders.scripts}/postinstall" "$0" / /
  umask 077
  printf '%s\\n' "$installed" > ${shellWord(macPlaces.installed)}
}

install_companion
`

const authorityOf = ({ caCertificate }: Enrollment): string =>
  caCertificate === null ? '' : `--cacert "$work/config/${authorityName}" `

const branch = ({ processor, program, node, lowestMacos }: FetchedByMac): string => `    ${processor})
      program=${program}
      node=${node}
      lowest=${lowestMacos ?? 0}
      ;;`

const write = ({ path, content }: { path: string; content: string }): string =>
  `  printf %s ${shellWord(content)} > "$work/config/${path}"`
