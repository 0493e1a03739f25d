import { type AgentNeed, agentNeeds } from './agent-needs.ts'
import type { CatalogueCheck } from './catalogue-check.ts'
import { steps } from './markdown.ts'

/** Before it osquery reads a file that macOS 15 no longer writes. */
const firewallNeeds: readonly AgentNeed[] = [{ platform: 'darwin', fromRelease: 15, osquery: '5.14.0' }]
/** Before it osquery looks in a place that macOS 15 left, and takes the absence for "on". */
const gatekeeperNeeds: readonly AgentNeed[] = [{ platform: 'darwin', fromRelease: 15, osquery: '5.23.0' }]

const fileVault: CatalogueCheck = {
  slug: 'macos-disk-encryption',
  name: 'FileVault is on',
  platforms: ['darwin'],
  description: 'Reads whether FileVault encrypts the volume that the Mac starts from, or the data volume beside it.',
  topics: ['encryption', 'storage'],
  // "/" is mounted from a snapshot such as /dev/disk3s1s1: its volume is /dev/disk3s1. Other disks and the cryptexes of
  // macOS say nothing about the system.
  sql: `WITH devices AS (
  SELECT device AS name FROM mounts WHERE path IN ('/', '/System/Volumes/Data')),
names AS (
  SELECT name FROM devices
  UNION SELECT rtrim(rtrim(name, '0123456789'), 's') FROM devices WHERE name GLOB '/dev/disk[0-9]*s[0-9]*s[0-9]*'),
found AS (
  SELECT COUNT(*) AS volumes,
    TOTAL(d.encrypted = 1 AND d.filevault_status = 'on') AS protected_volumes,
    TOTAL(d.filevault_status = 'off') AS open_volumes
  FROM names n JOIN disk_encryption d ON d.name = n.name)
SELECT volumes, protected_volumes,
  CASE WHEN protected_volumes > 0 THEN 'PASS'
       WHEN open_volumes > 0 THEN 'FAIL'
       ELSE 'UNKNOWN' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN protected_volumes = 0 AND open_volumes = 0
       THEN 'macOS does not tell the agent whether FileVault protects the system volume.' END AS unknown_reason
FROM found;`,
  cannotTell:
    'Judges the system and its data volume only, not other internal or external disks. It does not know whether a recovery key exists or where it is kept.',
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'FileVault is off',
  rationale:
    'Without FileVault, anyone who holds this Mac can read its files without your password. A lost or stolen laptop then means that documents, mail and saved sessions are lost as well. With FileVault on, the disk is unreadable until you log in, at no cost in speed that you would notice.',
  fixInstructions: steps(
    'Open **System Settings** and choose **Privacy & Security**.',
    'Scroll down to **FileVault** and click **Turn On…**.',
    'Choose how you want to recover the disk if you forget your password. Keep a recovery key in your password manager, never on this Mac alone.',
    'Leave the Mac connected to power. You can keep working while it encrypts.',
    'If the button is greyed out, an administrator has to enter their password first; ask your IT team if that is not you.',
  ),
  enabledByDefault: true,
}

const firewall: CatalogueCheck = {
  slug: 'macos-firewall',
  name: 'Application firewall is on',
  platforms: ['darwin'],
  description: 'Reads the state of the application firewall.',
  topics: ['network', 'firewall'],
  sql: `WITH ${agentNeeds(firewallNeeds)},
firewall AS (SELECT MAX(global_state) AS global_state FROM alf)
SELECT f.global_state,
  CASE WHEN agent.needs_osquery IS NOT NULL OR f.global_state IS NULL OR f.global_state < 0 THEN 'UNKNOWN'
       WHEN f.global_state >= 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS,
  agent.needs_osquery AS needs_osquery
FROM agent JOIN firewall f ON 1;`,
  needs: firewallNeeds,
  cannotTell:
    "Reads the firewall of macOS only, not another vendor's. It does not know which apps may accept connections.",
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'The firewall is off',
  rationale:
    'On a café or conference network every other guest can try to reach your Mac. The firewall lets you decide which apps may accept connections, so that a forgotten service or a faulty app is not exposed to strangers.',
  fixInstructions: steps(
    'Open **System Settings** and choose **Network**.',
    'Click **Firewall**.',
    'Turn the firewall on.',
    'When an app asks later whether it may accept incoming connections, allow it only if you know why it needs them.',
  ),
  enabledByDefault: true,
}

const firewallStealth: CatalogueCheck = {
  slug: 'macos-firewall-stealth',
  name: 'Firewall stealth mode is on',
  platforms: ['darwin'],
  description: 'Reads whether the firewall ignores probes from the network.',
  topics: ['network', 'firewall'],
  sql: `WITH ${agentNeeds(firewallNeeds)},
firewall AS (SELECT COUNT(*) AS answers, MAX(stealth_enabled) AS stealth_enabled FROM alf),
mac AS (SELECT MAX(major) AS major FROM os_version)
SELECT f.stealth_enabled,
  CASE WHEN agent.needs_osquery IS NOT NULL OR f.stealth_enabled IS NULL OR f.stealth_enabled < 0 THEN 'UNKNOWN'
       WHEN f.stealth_enabled = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN agent.needs_osquery IS NULL AND f.answers > 0 AND f.stealth_enabled IS NULL AND mac.major >= 15
       THEN 'From macOS 15 on, osquery reads stealth mode only where the system language is English.' END AS unknown_reason,
  agent.needs_osquery AS needs_osquery
FROM agent JOIN firewall f ON 1 JOIN mac ON 1;`,
  needs: firewallNeeds,
  cannotTell:
    'From macOS 15 on, the answer is unknown where the system language is not English. It reads whether the mode is chosen, not whether the firewall is on.',
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'Firewall stealth mode is off',
  rationale:
    'In stealth mode your Mac does not answer ping and port probes, so that someone who scans a shared network does not learn that it is there. It is a small hurdle, and it costs nothing.',
  fixInstructions: steps(
    'Open **System Settings**, choose **Network** and then **Firewall**.',
    'Make sure that the firewall is on and click **Options…**.',
    'Turn on **Enable stealth mode** and click **OK**.',
  ),
  enabledByDefault: false,
}

const screenLock: CatalogueCheck = {
  slug: 'macos-screen-lock',
  name: 'Screen locks quickly after sleep',
  platforms: ['darwin'],
  description:
    'Reads from configuration profiles whether a password is required after the screen saver begins or the display is turned off, and after how many seconds. Unknown where no profile sets both.',
  topics: ['screen lock', 'accounts'],
  // screenlock has no row for an agent that runs as root. Where there is one, it tells what holds.
  sql: `WITH policy AS (
  SELECT name, CASE WHEN value IN ('1', 'true') THEN 1 WHEN value IN ('0', 'false') THEN 0 END AS flag,
    CASE WHEN value GLOB '[0-9]*' THEN CAST(value AS INTEGER) END AS seconds
  FROM managed_policies WHERE domain = 'com.apple.screensaver'),
profile AS (
  SELECT TOTAL(name IN ('askForPassword', 'askForPasswordDelay')) AS settings,
    MIN(CASE WHEN name = 'askForPassword' THEN flag END) AS lowest_ask,
    MAX(CASE WHEN name = 'askForPassword' THEN flag END) AS highest_ask,
    MIN(CASE WHEN name = 'askForPasswordDelay' THEN seconds END) AS lowest_delay,
    MAX(CASE WHEN name = 'askForPasswordDelay' THEN seconds END) AS highest_delay
  FROM policy),
lock AS (SELECT MAX(enabled) AS enabled, MAX(grace_period) AS grace_period FROM screenlock),
judged AS (
  SELECT COALESCE(l.enabled, p.lowest_ask) AS enabled, COALESCE(l.grace_period, p.highest_delay) AS grace_period,
    p.settings, p.lowest_ask, p.highest_delay,
    CASE WHEN l.enabled = 1 AND l.grace_period BETWEEN 0 AND {{ options.max_grace_seconds | sql_integer }} THEN 'PASS'
         WHEN l.enabled IS NOT NULL THEN 'FAIL'
         WHEN p.highest_ask = 0 OR p.lowest_delay > {{ options.max_grace_seconds | sql_integer }} THEN 'FAIL'
         WHEN p.lowest_ask = 1 AND p.highest_delay <= {{ options.max_grace_seconds | sql_integer }} THEN 'PASS'
         ELSE 'UNKNOWN' END AS status
  FROM profile p JOIN lock l ON 1)
SELECT enabled, grace_period, status AS KOLIDE_CHECK_STATUS,
  CASE WHEN status <> 'UNKNOWN' THEN NULL
       WHEN settings = 0 THEN 'The agent can read this setting only from a configuration profile, and no profile on this Mac sets it.'
       WHEN lowest_ask IS NULL THEN 'A profile sets the delay, but not whether a password is required.'
       WHEN highest_delay IS NULL THEN 'A profile requires a password, but does not set the delay.'
       ELSE 'The profiles on this Mac set different values.' END AS unknown_reason
FROM judged;`,
  cannotTell:
    'Where no configuration profile sets the screen lock, the answer is unknown: macOS does not show it to an agent that runs as root. It does not know after how long an idle Mac starts its screen saver.',
  options: {
    max_grace_seconds: {
      kind: 'integer',
      title: 'Longest delay in seconds',
      description: 'How long the Mac may stay unlocked after it went to sleep or the screen saver began.',
      min: 0,
      max: 3600,
      default: 60,
    },
  },
  primaryKeyColumn: null,
  issueTitle: 'The screen does not lock soon after sleep',
  rationale:
    'A Mac that wakes without asking for a password is open to anyone who walks past it. Locking within {{ options.max_grace_seconds }} seconds keeps a short absence from becoming an open door to everything you are logged in to.',
  fixInstructions: steps(
    'Open **System Settings** and choose **Lock Screen**. If the setting below is greyed out, a configuration profile of your organization sets it. Tell your IT team that the delay is to be at most {{ options.max_grace_seconds }} seconds.',
    'Set **Require password after screen saver begins or display is turned off** to **Immediately**, or to a delay of at most {{ options.max_grace_seconds }} seconds.',
    'Confirm with your password.',
    'To lock the screen yourself at any time, press **Control + Command + Q**.',
  ),
  enabledByDefault: true,
}

const gatekeeper: CatalogueCheck = {
  slug: 'macos-gatekeeper',
  name: 'Gatekeeper is on',
  platforms: ['darwin'],
  description: 'Reads whether macOS checks the origin of apps before it opens them.',
  topics: ['system integrity', 'apps'],
  sql: `WITH ${agentNeeds(gatekeeperNeeds)},
found AS (SELECT MAX(assessments_enabled) AS assessments_enabled FROM gatekeeper)
SELECT g.assessments_enabled,
  CASE WHEN g.assessments_enabled = 0 THEN 'FAIL'
       WHEN g.assessments_enabled = 1 AND agent.needs_osquery IS NULL THEN 'PASS'
       ELSE 'UNKNOWN' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN g.assessments_enabled = 1 THEN agent.needs_osquery END AS needs_osquery
FROM agent JOIN found g ON 1;`,
  needs: gatekeeperNeeds,
  cannotTell: 'Does not know for which apps a person overrode Gatekeeper with Open Anyway.',
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'Gatekeeper is off',
  rationale:
    'Gatekeeper refuses apps that are not signed by a known developer or that Apple knows to be harmful. While it is off, a download opens without any such check, and one careless double click is enough.',
  fixInstructions: steps(
    'Open **Terminal** (in **Applications › Utilities**).',
    'Enter `sudo spctl --global-enable` and confirm with your password. On macOS 14 and older the command is `sudo spctl --master-enable`.',
    'Open **System Settings › Privacy & Security** and make sure that **Allow applications from** does not say **Anywhere**.',
    'If a single app you trust is blocked, allow that one app with **Open Anyway** on the same page.',
  ),
  enabledByDefault: true,
}

const systemIntegrityProtection: CatalogueCheck = {
  slug: 'macos-sip',
  name: 'System Integrity Protection is on',
  platforms: ['darwin'],
  description: 'Reads whether macOS protects its own files, also from administrators.',
  topics: ['system integrity'],
  sql: `SELECT MAX(enabled) AS enabled,
  CASE WHEN MAX(enabled) IS NULL THEN 'UNKNOWN'
       WHEN MAX(enabled) = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM sip_config WHERE config_flag = 'sip';`,
  cannotTell:
    'Does not tell a single exception from protection that is off as a whole: both fail. It reads what the running system was started with.',
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'System Integrity Protection is off',
  rationale:
    'System Integrity Protection keeps every program, even one that runs as administrator, from changing macOS itself. Without it, malware can hide where neither you nor security software will find it. It is sometimes turned off for an experiment and then forgotten.',
  fixInstructions: steps(
    'Shut the Mac down.',
    'Start it in recovery mode. Apple silicon: hold the power button until **Loading startup options** appears, then choose **Options**. Intel: turn it on and hold **Command + R**.',
    'In the menu bar choose **Utilities › Terminal**.',
    'Enter `csrutil enable` and press Return.',
    'Restart the Mac from the Apple menu.',
  ),
  enabledByDefault: true,
}

/** What protects the Mac itself: its disk, its network, its screen and macOS. */
export const macosProtectionChecks: readonly CatalogueCheck[] = [
  fileVault,
  firewall,
  firewallStealth,
  screenLock,
  gatekeeper,
  systemIntegrityProtection,
]
