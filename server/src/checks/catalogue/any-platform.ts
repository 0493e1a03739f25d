import type { CatalogueCheck } from './catalogue-check.ts'
import { filesOfPeopleChecks } from './files-of-people.ts'
import { sections, steps, withFound } from './markdown.ts'

const sshKeysEncrypted: CatalogueCheck = {
  slug: 'ssh-keys-encrypted',
  name: 'SSH private keys have a passphrase',
  platforms: ['darwin', 'linux', 'windows'],
  description:
    'Looks in the .ssh folder of every account for private keys without a passphrase. Unknown for a file without one whose name ends in _sk, as handles of security keys do.',
  topics: ['credentials', 'encryption'],
  // Without the join on users, osquery answers only for the account that it runs as.
  // Its kind is empty for every key in the format of OpenSSH, so only the usual name tells the handle of a security key.
  sql: `WITH k AS (
  SELECT u.username, s.path, s.key_type, s.encrypted,
    lower(substr(s.path, -3)) = '_sk' AND COALESCE(s.key_type, '') = '' AND s.encrypted = 0 AS handle
  FROM users u CROSS JOIN user_ssh_keys s USING (uid))
SELECT COALESCE(k.path, 'none') AS path, k.username, k.key_type,
  CASE WHEN NOT EXISTS (SELECT 1 FROM users) THEN 'UNKNOWN'
       WHEN k.path IS NULL THEN 'PASS'
       WHEN k.encrypted IS NULL OR k.handle THEN 'UNKNOWN'
       WHEN k.encrypted = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN k.handle
       THEN 'By its name this file is the handle of a security key, which is worth nothing without the token. osquery cannot tell. A passphrase or an exemption settles it.'
       END AS unknown_reason
FROM (SELECT 1) seed LEFT JOIN k ON 1;`,
  cannotTell:
    'Keys in other folders than .ssh are not found, and how strong a passphrase is cannot be known. For the handle of a security key the answer is unknown, or FAIL under a name that does not end in _sk.',
  options: {},
  primaryKeyColumn: 'path',
  issueTitle: 'An SSH key has no passphrase',
  rationale:
    'A private key without a passphrase works for everyone who gets a copy of the file: from a backup, a stolen laptop, or a harmful package that reads your home folder. With a passphrase the file alone is worth nothing, and the SSH agent spares you typing it each time. The handle of a security key (FIDO) is worth nothing without the token in any case.',
  fixInstructions: withFound(
    'Keys without a passphrase:',
    'path',
    sections({
      'macOS and Linux': steps(
        'Open a terminal.',
        'Enter `ssh-keygen -p -f PATH`, with the path of the key in place of `PATH`.',
        'Enter a new passphrase twice and keep it in your password manager.',
        'Load the key once per login: `ssh-add PATH`, on macOS `ssh-add --apple-use-keychain PATH`.',
        'Delete a key that you no longer use, and its public part on the servers.',
        'If the file is the handle of a security key under another name than `id_ed25519_sk` or `id_ecdsa_sk`, ask for an exemption, or let the name end in `_sk`.',
      ),
      Windows: steps(
        'Open **Windows Terminal**.',
        'Enter `ssh-keygen -p -f "PATH"`, with the path of the key in place of `PATH`.',
        'Enter a new passphrase twice and keep it in your password manager.',
        'To type it only once, start the service **OpenSSH Authentication Agent** and enter `ssh-add "PATH"`.',
        'If the file is the handle of a security key under another name than `id_ed25519_sk` or `id_ecdsa_sk`, ask for an exemption, or let the name end in `_sk`.',
      ),
    }),
  ),
  enabledByDefault: true,
  privacyInfo:
    'Reads the paths and kinds of the keys in .ssh folders and whether they are encrypted. The keys themselves are never sent.',
}

const sshKeyPermissions: CatalogueCheck = {
  slug: 'ssh-key-permissions',
  name: 'SSH private keys are private',
  platforms: ['darwin', 'linux'],
  description: 'Looks for private keys in .ssh folders that other accounts of the device may read or change.',
  topics: ['credentials', 'files'],
  sql: `WITH k AS (
  SELECT u.username, s.path, f.mode
  FROM users u CROSS JOIN user_ssh_keys s USING (uid) CROSS JOIN file f ON f.path = s.path)
SELECT COALESCE(k.path, 'none') AS path, k.username, k.mode,
  CASE WHEN NOT EXISTS (SELECT 1 FROM users) THEN 'UNKNOWN'
       WHEN k.path IS NULL THEN 'PASS'
       WHEN COALESCE(k.mode, '') = '' THEN 'UNKNOWN'
       WHEN k.mode LIKE '%00' THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN k ON 1;`,
  cannotTell:
    'Reads the mode of the file only, not access control lists. Keys in other folders than .ssh are not found.',
  options: {},
  primaryKeyColumn: 'path',
  issueTitle: 'An SSH key can be read by other accounts',
  rationale:
    'A private key is meant for you alone. When the file is open to the group or to everyone, every program that runs under another account of this device can copy it. ssh itself refuses to use such a key.',
  fixInstructions: withFound(
    'Keys that others may read or change:',
    'path',
    steps(
      'Open a terminal.',
      'Enter `chmod 600 PATH`, with the path of the key in place of `PATH`.',
      'Close the folder as well: `chmod 700 ~/.ssh`.',
      'If people you do not trust could have read the key, make a new one with `ssh-keygen -t ed25519` and replace it on the servers.',
    ),
  ),
  enabledByDefault: true,
  privacyInfo: 'Reads the paths and permissions of the keys in .ssh folders. The keys themselves are never sent.',
}

const deniedExtensions: CatalogueCheck = {
  slug: 'browser-extension-deny-list',
  edition: 2,
  name: 'No denied browser extension is installed',
  platforms: ['darwin', 'linux', 'windows'],
  description:
    'Looks in Chrome and its relatives for installed extensions that your organization denies. One that is off passes where the browser tells that it is off.',
  topics: ['browsers', 'apps'],
  // Folders of older versions have no state: they say nothing beside one that the browser tells.
  sql: `WITH e AS (
  SELECT COALESCE(NULLIF(u.username, ''), u.uid) || '|' || x.browser_type || '|' || x.profile || '|' || x.identifier AS pk,
    MAX(x.name) AS name, MAX(x.version) AS version, MAX(x.browser_type) AS browser_type, MAX(x.profile) AS profile,
    COALESCE(MAX(x.state), '') AS state
  FROM users u CROSS JOIN chrome_extensions x USING (uid)
  WHERE x.identifier IN ({{ options.denied_identifiers | sql_list }})
  GROUP BY 1)
SELECT COALESCE(e.pk, 'none') AS pk, e.name, e.version, e.browser_type, e.profile, e.state,
  CASE WHEN NOT EXISTS (SELECT 1 FROM users) THEN 'UNKNOWN'
       WHEN e.pk IS NULL THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN e ON e.state IN ('', '1');`,
  cannotTell:
    'Chrome, Edge and Brave from version 136 on do not tell whether an extension is on, so there one that is off fails too. Removing it settles it. An extension without a key in its manifest, such as one that was loaded from a folder, is not found.',
  options: {
    denied_identifiers: {
      kind: 'text_list',
      title: 'Denied extensions',
      description:
        'Identifiers of 32 letters, as the address in the Chrome Web Store ends with. The first one is The Great Suspender, which Google withdrew as malware.',
      maxLength: 32,
      minItems: 1,
      maxItems: 1000,
      default: ['klbibkeccnjlkjkiokjodocebajanakg'],
    },
  },
  primaryKeyColumn: 'pk',
  issueTitle: 'A denied browser extension is installed',
  rationale:
    'An extension can read and change every page that you open, passwords and mail included. Some were harmful from the start, others turned harmful when they were sold. Your organization has decided that this one is not acceptable.',
  fixInstructions: withFound(
    'Denied extensions:',
    'name',
    steps(
      'Open the browser and enter `chrome://extensions` in the address bar (`edge://extensions`, `brave://extensions` and so on).',
      'Find the extension and click **Remove**. Do this in every profile that has it. To turn it off is not enough: most browsers no longer tell whether an extension is on.',
      'If you use synchronization, check your other devices: the extension may come back from there.',
      'If it could see your passwords, change those of your most important accounts.',
    ),
  ),
  enabledByDefault: false,
  privacyInfo:
    'Looks among the browser extensions for the denied ones only, and whether they are on; other extensions, and your history, are not reported.',
}

const recentRestart: CatalogueCheck = {
  slug: 'recent-restart',
  name: 'The device restarted recently',
  platforms: ['darwin', 'linux', 'windows'],
  description: 'Reads how long the device has been running.',
  topics: ['updates'],
  sql: `SELECT MAX(days) AS days,
  CASE WHEN MAX(total_seconds) IS NULL THEN 'UNKNOWN'
       WHEN MAX(total_seconds) < {{ options.max_days | sql_integer }} * 86400 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM uptime;`,
  cannotTell:
    'Does not know whether updates wait for a restart. On Windows a shutdown with fast startup does not count as one.',
  options: {
    max_days: {
      kind: 'integer',
      title: 'Longest time in days',
      description: 'How long a device may run without a restart.',
      min: 1,
      max: 365,
      default: 30,
    },
  },
  primaryKeyColumn: null,
  issueTitle: 'The device has not restarted for a long time',
  rationale:
    'Many updates work only after a restart: those of the kernel, of drivers and of programs that are always open. A device that has run for more than {{ options.max_days }} days very likely has some of them waiting.',
  fixInstructions: sections({
    macOS: steps('Save your work.', 'Choose **Apple menu › Restart…**.'),
    Windows: steps(
      'Save your work.',
      'Choose **Start › Power › Restart**, not **Shut down**: after a fast shutdown Windows keeps on counting.',
    ),
    Linux: steps('Save your work.', 'Restart from the menu, or with `sudo systemctl reboot`.'),
  }),
  enabledByDefault: false,
}

const osqueryUpToDate: CatalogueCheck = {
  slug: 'osquery-up-to-date',
  name: 'The agent is up to date',
  platforms: ['darwin', 'linux', 'windows'],
  description: 'Compares the version of osquery with the lowest accepted one.',
  topics: ['updates', 'monitoring'],
  sql: `SELECT MAX(version) AS version,
  CASE WHEN COALESCE(MAX(version), '') = '' THEN 'UNKNOWN'
       WHEN version_compare(MAX(version), {{ options.minimum_version | sql_text }}) >= 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM osquery_info;`,
  cannotTell: 'Compares with the version that you set, not with the newest release.',
  options: {
    minimum_version: {
      kind: 'version',
      title: 'Lowest accepted version',
      description: 'The version that each check needs is listed in docs/checks.md under "What each check reads".',
      default: '5.12.0',
    },
  },
  primaryKeyColumn: null,
  issueTitle: 'The osquery agent is out of date',
  rationale:
    'osquery answers the questions of all other checks. An old version runs with known faults, and does not understand some of the questions, so that their answers are missing.',
  fixInstructions: sections({
    macOS: steps(
      'Install the current package of osquery that your IT team provides.',
      'Open **Terminal** and enter `sudo launchctl kickstart -k system/io.osquery.agent`.',
    ),
    Windows: steps(
      'Install the current package of osquery that your IT team provides.',
      'Open **Services**, select **osqueryd** and click **Restart**.',
    ),
    Linux: steps(
      'Enter `sudo apt update && sudo apt install --only-upgrade osquery`, or `sudo dnf upgrade osquery` on Fedora and RHEL.',
      'Enter `sudo systemctl restart osqueryd`.',
    ),
  }),
  enabledByDefault: false,
}

export const anyPlatformChecks: readonly CatalogueCheck[] = [
  sshKeysEncrypted,
  sshKeyPermissions,
  ...filesOfPeopleChecks,
  deniedExtensions,
  recentRestart,
  osqueryUpToDate,
]
