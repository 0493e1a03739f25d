import type { CatalogueCheck } from './catalogue-check.ts'
import { steps, withFound } from './markdown.ts'

const fileVault: CatalogueCheck = {
  slug: 'macos-disk-encryption',
  name: 'FileVault is on',
  platforms: ['darwin'],
  description: 'Looks for a volume that FileVault encrypts.',
  topics: ['encryption', 'storage'],
  sql: `SELECT COUNT(*) AS volumes,
  TOTAL(encrypted = 1 AND filevault_status = 'on') AS protected_volumes,
  CASE WHEN COUNT(*) = 0 THEN 'UNKNOWN'
       WHEN TOTAL(encrypted = 1 AND filevault_status = 'on') > 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM disk_encryption;`,
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
  sql: `SELECT MAX(global_state) AS global_state,
  CASE WHEN MAX(global_state) IS NULL THEN 'UNKNOWN'
       WHEN MAX(global_state) >= 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM alf;`,
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
  sql: `SELECT MAX(stealth_enabled) AS stealth_enabled,
  CASE WHEN MAX(stealth_enabled) IS NULL THEN 'UNKNOWN'
       WHEN MAX(stealth_enabled) = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM alf;`,
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
  description: 'Reads whether a password is required after sleep or screen saver, and after how many seconds.',
  topics: ['screen lock', 'accounts'],
  sql: `SELECT MAX(enabled) AS enabled, MAX(grace_period) AS grace_period,
  CASE WHEN MAX(enabled) IS NULL THEN 'UNKNOWN'
       WHEN MAX(enabled) = 1 AND MAX(grace_period) BETWEEN 0 AND {{ options.max_grace_seconds | sql_integer }} THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM screenlock;`,
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
    'Open **System Settings** and choose **Lock Screen**.',
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
  sql: `SELECT MAX(assessments_enabled) AS assessments_enabled,
  CASE WHEN MAX(assessments_enabled) IS NULL THEN 'UNKNOWN'
       WHEN MAX(assessments_enabled) = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM gatekeeper;`,
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

const automaticUpdates: CatalogueCheck = {
  slug: 'macos-automatic-updates',
  name: 'Automatic update settings are on',
  platforms: ['darwin'],
  description:
    'Reads whether macOS looks for updates, downloads them and installs security responses and system files automatically. Managed settings take precedence over local ones.',
  topics: ['updates'],
  sql: `WITH wanted(setting) AS (
  VALUES ('AutomaticCheckEnabled'), ('AutomaticDownload'), ('CriticalUpdateInstall'), ('ConfigDataInstall')),
local_settings AS (
  SELECT key AS setting, MAX(value) AS value FROM plist
  WHERE path = '/Library/Preferences/com.apple.SoftwareUpdate.plist' GROUP BY key),
managed AS (
  SELECT name AS setting, MAX(value) AS value FROM managed_policies
  WHERE domain = 'com.apple.SoftwareUpdate' GROUP BY name)
SELECT w.setting, COALESCE(m.value, l.value, '') AS value,
  CASE WHEN COALESCE(m.value, l.value, '') = '' THEN 'UNKNOWN'
       WHEN COALESCE(m.value, l.value) IN ('1', 'true') THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM wanted w LEFT JOIN managed m ON m.setting = w.setting LEFT JOIN local_settings l ON l.setting = w.setting;`,
  options: {},
  primaryKeyColumn: 'setting',
  issueTitle: 'An automatic update setting is off',
  rationale:
    'Most attacks on Macs use faults for which an update exists already. When macOS installs updates automatically, the time between the fix and your Mac having it shrinks from weeks to hours, and you do not have to think of it.',
  fixInstructions: withFound(
    'Settings that are off:',
    'setting',
    steps(
      'Open **System Settings** and choose **General › Software Update**.',
      'Click the **i** beside **Automatic Updates**.',
      'Turn on **Download new updates when available**.',
      'Turn on **Install Security Responses and system files**, and, where shown, **Check for updates**.',
      'Click **Done**. If the switches are greyed out, your organization manages them; tell your IT team.',
    ),
  ),
  enabledByDefault: true,
}

const osUpToDate: CatalogueCheck = {
  slug: 'macos-os-up-to-date',
  name: 'macOS is up to date',
  platforms: ['darwin'],
  description:
    'Compares the installed version with the lowest accepted one of its major release. A release older than all listed ones fails, a newer one passes.',
  topics: ['updates', 'operating system'],
  // The three numbers are joined because macOS calls 15.7.0 "15.7", which version_compare puts below "15.7.0".
  sql: `WITH floor_version(major, version) AS (
  VALUES {{ options.minimum_versions | sql_rows: "major", "version" }})
SELECT o.version, f.version AS minimum_version,
  CASE WHEN o.major IS NULL THEN 'UNKNOWN'
       WHEN f.version IS NULL AND o.major > (SELECT MAX(major) FROM floor_version) THEN 'PASS'
       WHEN f.version IS NULL THEN 'FAIL'
       WHEN version_compare(COALESCE(o.major || '.' || o.minor || '.' || COALESCE(o.patch, 0), o.version), f.version) >= 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN os_version o ON 1 LEFT JOIN floor_version f ON f.major = o.major;`,
  options: {
    minimum_versions: {
      kind: 'record_list',
      title: 'Lowest accepted versions',
      description: 'One entry for each major release of macOS that your organization accepts.',
      fields: {
        major: { kind: 'integer', title: 'Major release', min: 10, max: 99 },
        version: { kind: 'version', title: 'Lowest version' },
      },
      minItems: 1,
      maxItems: 20,
      default: [
        { major: 14, version: '14.8.0' },
        { major: 15, version: '15.7.0' },
        { major: 26, version: '26.0.0' },
      ],
    },
  },
  primaryKeyColumn: null,
  issueTitle: 'macOS is out of date',
  rationale:
    'Each macOS update closes faults that are public from the day it appears, some of them already in use by attackers. A Mac on an older version can be attacked with methods that anyone can look up.',
  fixInstructions: steps(
    'Save your work and connect the Mac to power.',
    'Open **System Settings** and choose **General › Software Update**.',
    'Click **Update Now** or **Restart Now**, and let the Mac restart. {% for row in rows %}{% if row.minimum_version != blank %}You need at least version {{ row.minimum_version | code }}.{% endif %}{% endfor %}',
    'If no update is offered, the Mac may be too old for a supported version of macOS. Ask your IT team about a replacement.',
  ),
  enabledByDefault: true,
}

const sharingServices: CatalogueCheck = {
  slug: 'macos-sharing-services',
  name: 'Sharing services are off',
  platforms: ['darwin'],
  description:
    'Reads whether screen, file, internet or Bluetooth sharing, remote login, remote management or remote Apple events are on. Current macOS shows some of them only to an agent with full disk access.',
  topics: ['network', 'sharing', 'remote access'],
  sql: `WITH s AS (
  SELECT 'remote_login' AS service, remote_login AS enabled FROM sharing_preferences
  UNION ALL SELECT 'screen_sharing', screen_sharing FROM sharing_preferences
  UNION ALL SELECT 'file_sharing', file_sharing FROM sharing_preferences
  UNION ALL SELECT 'remote_management', remote_management FROM sharing_preferences
  UNION ALL SELECT 'remote_apple_events', remote_apple_events FROM sharing_preferences
  UNION ALL SELECT 'internet_sharing', internet_sharing FROM sharing_preferences
  UNION ALL SELECT 'bluetooth_sharing', bluetooth_sharing FROM sharing_preferences)
SELECT COALESCE(s.service, 'none') AS service, s.enabled,
  CASE WHEN s.enabled IS NULL THEN 'UNKNOWN' WHEN s.enabled = 0 THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN s ON 1;`,
  options: {},
  primaryKeyColumn: 'service',
  issueTitle: 'A sharing service is on',
  rationale:
    'A sharing service accepts connections from the network, and with it guesses at your password. On a laptop that visits other networks this is rarely wanted; often the service was turned on once, for one occasion.',
  fixInstructions: withFound(
    'Services that are on:',
    'service',
    steps(
      'Open **System Settings** and choose **General › Sharing**.',
      'Turn off each of the services named here. **Remote Login**, **Remote Management** and **Remote Application Scripting** stand under **Advanced** on recent versions of macOS.',
      'If you need one of them for your work, ask for an exemption and say what you use it for.',
    ),
  ),
  enabledByDefault: true,
}

const guestAccount: CatalogueCheck = {
  slug: 'macos-guest-account',
  name: 'Guest account is off',
  platforms: ['darwin'],
  description: 'Reads whether people can log in as guest, without a password.',
  topics: ['accounts'],
  sql: `SELECT MAX(CASE WHEN key = 'GuestEnabled' THEN value END) AS guest_enabled,
  CASE WHEN COUNT(*) = 0 THEN 'UNKNOWN'
       WHEN MAX(CASE WHEN key = 'GuestEnabled' THEN value END) IN ('1', 'true') THEN 'FAIL'
       ELSE 'PASS' END AS KOLIDE_CHECK_STATUS
FROM plist WHERE path = '/Library/Preferences/com.apple.loginwindow.plist';`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'The guest account is on',
  rationale:
    'The guest account lets anyone use this Mac without a password and without leaving a trace. From there, faults in macOS and open network shares are within reach.',
  fixInstructions: steps(
    'Open **System Settings** and choose **Users & Groups**.',
    'Click the **i** beside **Guest User**.',
    'Turn off **Allow guests to log in to this computer** and click **OK**.',
  ),
  enabledByDefault: true,
}

const automaticLogin: CatalogueCheck = {
  slug: 'macos-automatic-login',
  name: 'Automatic login is off',
  platforms: ['darwin'],
  description: 'Reads whether the Mac logs someone in at start without asking for a password.',
  topics: ['accounts'],
  sql: `SELECT MAX(CASE WHEN key = 'autoLoginUser' THEN value END) AS auto_login_user,
  CASE WHEN COUNT(*) = 0 THEN 'UNKNOWN'
       WHEN MAX(CASE WHEN key = 'autoLoginUser' THEN value END) <> '' THEN 'FAIL'
       ELSE 'PASS' END AS KOLIDE_CHECK_STATUS
FROM plist WHERE path = '/Library/Preferences/com.apple.loginwindow.plist';`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'The Mac logs in without a password',
  rationale:
    'With automatic login, turning the Mac on is enough to get at everything you can. Your password then protects nothing, and the Mac keeps it in a form that can be read back.',
  fixInstructions: steps(
    'Open **System Settings** and choose **Users & Groups**.',
    'Set **Automatically log in as** to **Off**.',
    'Restart once and check that the Mac asks for your password.',
  ),
  enabledByDefault: true,
  privacyInfo: 'Reads the name of the account that is logged in automatically, if one is set.',
}

const secureBoot: CatalogueCheck = {
  slug: 'macos-secure-boot',
  name: 'Secure boot is at full security',
  platforms: ['darwin'],
  description:
    'Reads the start-up security level: Full Security on Apple silicon, mode 1 on an Intel Mac with a T2 chip.',
  topics: ['boot', 'system integrity'],
  sql: `SELECT MAX(secure_mode) AS secure_mode, MAX(description) AS description,
  CASE WHEN MAX(secure_mode) IS NULL AND COALESCE(MAX(description), '') = '' THEN 'UNKNOWN'
       WHEN MAX(secure_mode) = 1 OR MAX(description) = 'Full Security' THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM secureboot;`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'Secure boot is not at full security',
  rationale:
    'At full security the Mac starts only a macOS that Apple has signed and that has not been changed. A lower level lets altered or outdated systems start, which is how an attacker with the Mac in their hands would stay unnoticed.',
  fixInstructions: steps(
    'Kernel extensions of third parties stop loading at full security. If you depend on one, ask your IT team first.',
    'Shut the Mac down.',
    'Start it in recovery mode. Apple silicon: hold the power button until **Loading startup options** appears, then choose **Options**. Intel: turn it on and hold **Command + R**.',
    'In the menu bar choose **Utilities › Startup Security Utility**.',
    'Select the system disk, click **Security Policy…** where it is shown, and choose **Full Security**.',
    'Restart the Mac from the Apple menu.',
  ),
  enabledByDefault: true,
}

const findMy: CatalogueCheck = {
  slug: 'macos-find-my',
  name: 'Find My Mac is on',
  platforms: ['darwin'],
  description: 'Looks for the token that Find My leaves in the NVRAM.',
  topics: ['theft'],
  sql: `SELECT TOTAL(name = 'fmm-mobileme-token-FMM') AS tokens,
  CASE WHEN COUNT(*) = 0 THEN 'UNKNOWN'
       WHEN TOTAL(name = 'fmm-mobileme-token-FMM') > 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM nvram;`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'Find My Mac is off',
  rationale:
    'With Find My on, you can locate, lock or erase a lost Mac, and nobody else can set it up again as theirs. That makes a stolen Mac worth far less.',
  fixInstructions: steps(
    'Open **System Settings** and click your name at the top.',
    'Choose **iCloud**, then **Find My Mac** (under **Show All** or **See All**).',
    'Turn on **Find My Mac** and allow it to use the location.',
  ),
  enabledByDefault: false,
  privacyInfo: 'Reads only whether Find My is on. The location of the Mac is never read.',
}

export const macosSystemChecks: readonly CatalogueCheck[] = [
  fileVault,
  firewall,
  firewallStealth,
  screenLock,
  gatekeeper,
  systemIntegrityProtection,
  automaticUpdates,
  osUpToDate,
  sharingServices,
  guestAccount,
  automaticLogin,
  secureBoot,
  findMy,
]
