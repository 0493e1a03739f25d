import { type AgentNeed, agentNeeds } from './agent-needs.ts'
import type { CatalogueCheck } from './catalogue-check.ts'
import { fullDiskAccess } from './full-disk-access.ts'
import { steps, withFound } from './markdown.ts'

/** Before it osquery misses apps in /Applications whose registration with macOS is stale. */
const appNeeds: readonly AgentNeed[] = [{ platform: 'darwin', osquery: '5.23.0' }]

/** Compares every copy of an app with `options.minimum_version`. An older agent is believed in what it finds only. */
function appVersionSql(bundleIdentifier: string): string {
  return `WITH ${agentNeeds(appNeeds)}
SELECT COALESCE(a.path, 'none') AS path, a.bundle_short_version AS version,
  CASE WHEN a.path IS NULL AND (agent.needs_osquery IS NOT NULL OR NOT EXISTS (SELECT 1 FROM apps)) THEN 'UNKNOWN'
       WHEN a.path IS NULL THEN 'INAPPLICABLE'
       WHEN COALESCE(a.bundle_short_version, '') = '' THEN 'UNKNOWN'
       WHEN version_compare(a.bundle_short_version, {{ options.minimum_version | sql_text }}) >= 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN a.path IS NULL THEN agent.needs_osquery END AS needs_osquery
FROM agent LEFT JOIN apps a ON a.bundle_identifier = '${bundleIdentifier}';`
}

const timeMachineEncrypted: CatalogueCheck = {
  slug: 'macos-time-machine-encrypted',
  edition: 2,
  name: 'Time Machine backups are encrypted',
  platforms: ['darwin'],
  description:
    'Reads whether each Time Machine destination is encrypted. Does not apply where there is none, and is unknown where macOS does not show the settings to the agent.',
  topics: ['backup', 'encryption'],
  sql: `WITH ${fullDiskAccess},
mac AS (
  SELECT NOT disk.is_open AND EXISTS (
    SELECT 1 FROM file WHERE path = '/Library/Preferences/com.apple.TimeMachine.plist') AS is_hidden
  FROM disk)
SELECT COALESCE(t.destination_id, 'none') AS destination_id, t.alias, t.encryption,
  CASE WHEN t.destination_id IS NULL AND mac.is_hidden THEN 'UNKNOWN'
       WHEN t.destination_id IS NULL THEN 'INAPPLICABLE'
       WHEN COALESCE(t.encryption, '') = '' THEN 'UNKNOWN'
       WHEN lower(t.encryption) IN ('encrypted', 'filevault') THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN t.destination_id IS NULL AND mac.is_hidden
       THEN 'macOS shows the settings of Time Machine only to an agent with Full Disk Access, which an administrator can grant to osqueryd.'
       END AS unknown_reason
FROM mac LEFT JOIN time_machine_destinations t ON 1;`,
  cannotTell:
    'Without Full Disk Access the agent sees no destination, so that the answer is unknown on every Mac that has a settings file of Time Machine, also one that backs up nothing. It does not know backups that other software makes.',
  options: {},
  primaryKeyColumn: 'destination_id',
  issueTitle: 'A Time Machine backup is not encrypted',
  rationale:
    'A backup holds everything that FileVault protects on the Mac itself. On an unencrypted disk, anyone who finds or borrows the disk can read all of it.',
  fixInstructions: withFound(
    'Destinations without encryption:',
    'alias',
    steps(
      'Open **System Settings** and choose **General › Time Machine**.',
      'Select the backup disk and remove it with the **−** button. Existing backups on the disk are not erased by this.',
      'Click **Add Backup Disk…** or **+**, choose the disk again and turn on **Encrypt Backup**.',
      'Set a password and keep it in your password manager: without it the backup cannot be read.',
      'Let the next backup finish while the Mac is connected to power.',
    ),
  ),
  enabledByDefault: false,
  privacyInfo: 'Reads the names of your backup destinations, not what they hold.',
}

const chromeUpToDate: CatalogueCheck = {
  slug: 'macos-chrome-up-to-date',
  name: 'Chrome is up to date',
  platforms: ['darwin'],
  description: 'Compares every installed Google Chrome with the lowest accepted version.',
  topics: ['updates', 'browsers'],
  sql: appVersionSql('com.google.Chrome'),
  needs: appNeeds,
  cannotTell:
    'Reads the version on the disk: a Chrome that was updated and not restarted still runs the old one. It does not ask which version is the newest.',
  options: {
    minimum_version: {
      kind: 'version',
      title: 'Lowest accepted version',
      description: 'Raise it as new releases of Chrome appear.',
      default: '140.0.0.0',
    },
  },
  primaryKeyColumn: 'path',
  issueTitle: 'Chrome is out of date',
  rationale:
    'The browser opens more from strangers than any other program, so its faults are the first that attackers use. Chrome fixes some every week or two, but a fix works only after Chrome has been restarted.',
  fixInstructions: withFound(
    'Copies that are out of date:',
    'path',
    steps(
      'Open Chrome, then **Chrome › About Google Chrome** in the menu bar.',
      'Wait until the update is loaded and click **Relaunch**. You need at least version {{ options.minimum_version | code }}.',
      'If a second copy of Chrome is named here that you do not use, such as one in your Downloads folder, move it to the Bin.',
    ),
  ),
  enabledByDefault: false,
}

const firefoxUpToDate: CatalogueCheck = {
  slug: 'macos-firefox-up-to-date',
  name: 'Firefox is up to date',
  platforms: ['darwin'],
  description: 'Compares every installed Firefox with the lowest accepted version.',
  topics: ['updates', 'browsers'],
  sql: appVersionSql('org.mozilla.firefox'),
  needs: appNeeds,
  cannotTell:
    'Reads the version on the disk: a Firefox that was updated and not restarted still runs the old one. It does not ask which version is the newest.',
  options: {
    minimum_version: {
      kind: 'version',
      title: 'Lowest accepted version',
      description: 'Raise it as new releases of Firefox appear. With the extended support release, name its version.',
      default: '140.0',
    },
  },
  primaryKeyColumn: 'path',
  issueTitle: 'Firefox is out of date',
  rationale:
    'The browser opens more from strangers than any other program, so its faults are the first that attackers use. Firefox fixes them with every release, but a fix works only after Firefox has been restarted.',
  fixInstructions: withFound(
    'Copies that are out of date:',
    'path',
    steps(
      'Open Firefox, then **Firefox › About Firefox** in the menu bar.',
      'Wait until the update is loaded and click **Restart to update Firefox**. You need at least version {{ options.minimum_version | code }}.',
      'If a second copy of Firefox is named here that you do not use, move it to the Bin.',
    ),
  ),
  enabledByDefault: false,
}

const passwordManager: CatalogueCheck = {
  slug: 'macos-password-manager',
  name: 'A password manager is installed',
  platforms: ['darwin'],
  description: 'Looks for one of the listed password managers among the installed apps.',
  topics: ['credentials', 'apps'],
  sql: `WITH ${agentNeeds(appNeeds)},
found AS (
  SELECT COUNT(*) AS apps, TOTAL(bundle_identifier IN ({{ options.bundle_identifiers | sql_list }})) AS installed
  FROM apps)
SELECT f.installed,
  CASE WHEN f.installed > 0 THEN 'PASS'
       WHEN agent.needs_osquery IS NOT NULL OR f.apps = 0 THEN 'UNKNOWN'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN f.installed = 0 THEN agent.needs_osquery END AS needs_osquery
FROM agent JOIN found f ON 1;`,
  needs: appNeeds,
  cannotTell:
    'Does not know whether anyone uses the app, nor password managers that are only a browser extension or part of macOS.',
  options: {
    bundle_identifiers: {
      kind: 'text_list',
      title: 'Accepted apps',
      description: 'Bundle identifiers of the password managers that your organization uses; one of them is enough.',
      maxLength: 155,
      minItems: 1,
      maxItems: 50,
      default: ['com.1password.1password', 'com.bitwarden.desktop'],
    },
  },
  primaryKeyColumn: null,
  issueTitle: 'No password manager is installed',
  rationale:
    'Nobody remembers a different strong password for every service, so without a password manager passwords are used twice, and one stolen list opens several doors. A password manager also refuses to fill in a password on a look-alike site.',
  fixInstructions: steps(
    'Find out which password manager your organization provides; your IT team can tell you and send an invitation.',
    'Install its app on this Mac, from the Mac App Store or the page in the invitation.',
    'Sign in and add its extension to your browser.',
    'Move the passwords that your browser has saved into it, then delete them from the browser.',
  ),
  enabledByDefault: false,
  privacyInfo: 'Looks among the installed apps for the listed password managers only. Nothing in them is read.',
}

export const macosAppChecks: readonly CatalogueCheck[] = [
  timeMachineEncrypted,
  chromeUpToDate,
  firefoxUpToDate,
  passwordManager,
]
