import type { CatalogueCheck } from './catalogue-check.ts'
import { sections, steps, withFound } from './markdown.ts'

const bitlocker: CatalogueCheck = {
  slug: 'windows-bitlocker',
  name: 'BitLocker protects every fixed drive',
  platforms: ['windows'],
  description: 'Reads the BitLocker protection of every drive that has a letter.',
  topics: ['encryption', 'storage'],
  sql: `SELECT COALESCE(b.drive_letter, 'none') AS drive_letter, b.protection_status, b.percentage_encrypted, b.encryption_method,
  CASE WHEN b.drive_letter IS NULL OR b.protection_status IS NULL OR b.protection_status = 2 THEN 'UNKNOWN'
       WHEN b.protection_status = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN bitlocker_info b ON b.drive_letter <> '';`,
  options: {},
  primaryKeyColumn: 'drive_letter',
  issueTitle: 'A drive is not protected by BitLocker',
  rationale:
    'Without BitLocker, the drive can be taken out of the computer, or started from a stick, and read without your password. A lost laptop then means lost documents and saved sessions. With BitLocker the drive is unreadable to anyone else.',
  fixInstructions: withFound(
    'Drives without protection:',
    'drive_letter',
    sections({
      'Windows Pro and Enterprise': steps(
        'Open **Start**, type `BitLocker` and choose **Manage BitLocker**.',
        'Beside each drive named here, click **Turn on BitLocker**. If it says **suspended**, click **Resume protection**.',
        'Save the recovery key to your work account. Do not keep it on this computer alone.',
        'Choose **Encrypt used disk space only** for a new computer, **Encrypt entire drive** for one in use, and start.',
        'Keep the computer connected to power until it is done; you can continue working.',
      ),
      'Windows Home': steps(
        'Open **Settings › Privacy & security › Device encryption**.',
        'Turn on **Device encryption**. If the page is missing, this computer cannot encrypt with Windows Home; ask your IT team.',
      ),
    }),
  ),
  enabledByDefault: true,
}

const firewall: CatalogueCheck = {
  slug: 'windows-firewall',
  name: 'Windows Firewall is on for every profile',
  platforms: ['windows'],
  description:
    'Reads whether Windows Firewall is on for domain, private and public networks. A group policy comes before the local setting.',
  topics: ['network', 'firewall'],
  // The policy names the private profile PrivateProfile, the local setting StandardProfile.
  sql: String.raw`WITH profile(name, policy_name) AS (
  VALUES ('DomainProfile', 'DomainProfile'), ('StandardProfile', 'PrivateProfile'), ('PublicProfile', 'PublicProfile')),
local_setting AS (SELECT p.name AS profile, r.data
  FROM profile p CROSS JOIN registry r
  ON r.path = 'HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\' || p.name || '\EnableFirewall'),
policy AS (SELECT p.name AS profile, r.data
  FROM profile p CROSS JOIN registry r
  ON r.path = 'HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\WindowsFirewall\' || p.policy_name || '\EnableFirewall')
SELECT p.name AS profile, COALESCE(g.data, l.data) AS enabled,
  CASE WHEN COALESCE(g.data, l.data) IS NULL THEN 'UNKNOWN'
       WHEN COALESCE(g.data, l.data) = '1' THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM profile p LEFT JOIN policy g ON g.profile = p.name LEFT JOIN local_setting l ON l.profile = p.name;`,
  options: {},
  primaryKeyColumn: 'profile',
  issueTitle: 'Windows Firewall is off',
  rationale:
    'On a café or conference network every other guest can try to reach your computer. The firewall refuses what you did not ask for, so that a service with a fault is not exposed to strangers.',
  fixInstructions: withFound(
    'Profiles without a firewall (StandardProfile is the private network):',
    'profile',
    steps(
      'Open **Start**, type `Windows Security` and open it.',
      'Choose **Firewall & network protection**.',
      'Open each of **Domain network**, **Private network** and **Public network** and turn **Microsoft Defender Firewall** on.',
      'If the switch is greyed out, a policy turned it off; tell your IT team.',
    ),
  ),
  enabledByDefault: true,
}

const antivirus: CatalogueCheck = {
  slug: 'windows-antivirus',
  name: 'An antivirus is on and current',
  platforms: ['windows'],
  description: 'Reads the antivirus products that Windows knows. One that is on, with current signatures, is enough.',
  topics: ['malware'],
  sql: `SELECT COUNT(*) AS products, GROUP_CONCAT(name, ', ') AS names,
  CASE WHEN COUNT(*) = 0 THEN 'UNKNOWN'
       WHEN TOTAL(state = 'On' AND signatures_up_to_date = 1) > 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM windows_security_products WHERE type = 'Antivirus';`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'No antivirus is on and up to date',
  rationale:
    'An antivirus stops known malware before it runs, but only while it is on and knows the latest threats. Microsoft Defender comes with Windows and is enough for most computers.',
  fixInstructions: steps(
    'Open **Start**, type `Windows Security` and open it.',
    'Choose **Virus & threat protection**.',
    'If another product is named there, open it, turn its protection on and let it update. If its licence has ended, uninstall it: Microsoft Defender then takes over.',
    'Otherwise click **Manage settings** and turn on **Real-time protection**.',
    'Go back, click **Protection updates** and then **Check for updates**.',
  ),
  enabledByDefault: true,
}

const securityCenter: CatalogueCheck = {
  slug: 'windows-security-center',
  name: 'Security Center finds no problem',
  platforms: ['windows'],
  description: 'Reads how Windows itself judges its firewall, antivirus, automatic updates and User Account Control.',
  topics: ['updates', 'malware', 'firewall'],
  sql: `WITH a AS (
  SELECT 'firewall' AS area, firewall AS health FROM windows_security_center
  UNION ALL SELECT 'antivirus', antivirus FROM windows_security_center
  UNION ALL SELECT 'autoupdate', autoupdate FROM windows_security_center
  UNION ALL SELECT 'user_account_control', user_account_control FROM windows_security_center)
SELECT COALESCE(a.area, 'none') AS area, a.health,
  CASE WHEN COALESCE(a.health, '') IN ('', 'Error', 'Unknown', 'Not Monitored') THEN 'UNKNOWN'
       WHEN a.health = 'Good' THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN a ON 1;`,
  options: {},
  primaryKeyColumn: 'area',
  issueTitle: 'Windows Security reports a problem',
  rationale:
    'Windows watches over its own protection: firewall, antivirus, automatic updates and the question before a program gets administrator rights. When it reports one of them as poor, a protection that you rely on is missing.',
  fixInstructions: withFound(
    'Areas with a problem:',
    'area',
    steps(
      'Open **Start**, type `Windows Security` and open it. Areas with a problem carry a yellow or red mark.',
      '**firewall**, **antivirus**: open the marked area and follow the button that is offered, such as **Turn on** or **Update**.',
      '**autoupdate**: open **Settings › Windows Update** and click **Resume updates** if they are paused.',
      '**user_account_control**: open **Start**, type `UAC`, choose **Change User Account Control settings** and move the slider to the second position from the top or higher. Restart.',
    ),
  ),
  enabledByDefault: true,
}

const osUpToDate: CatalogueCheck = {
  slug: 'windows-os-up-to-date',
  name: 'Windows is up to date',
  platforms: ['windows'],
  description:
    'Compares the revision of the installed build with the lowest accepted one. A build older than all listed ones fails, a newer one passes. Needs osquery 5.12 or newer.',
  topics: ['updates', 'operating system'],
  sql: `WITH floor_version(build, revision) AS (
  VALUES {{ options.minimum_revisions | sql_rows: "build", "revision" }})
SELECT o.build, o.revision, f.revision AS minimum_revision,
  CASE WHEN COALESCE(o.build, '') = '' OR o.revision IS NULL THEN 'UNKNOWN'
       WHEN f.revision IS NULL AND CAST(o.build AS INTEGER) > (SELECT MAX(build) FROM floor_version) THEN 'PASS'
       WHEN f.revision IS NULL THEN 'FAIL'
       WHEN o.revision >= f.revision THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN os_version o ON 1 LEFT JOIN floor_version f ON f.build = CAST(o.build AS INTEGER);`,
  options: {
    minimum_revisions: {
      kind: 'record_list',
      title: 'Lowest accepted revisions',
      description:
        'One entry for each build of Windows that your organization accepts; winver shows both numbers, as in 26100.4000.',
      fields: {
        build: { kind: 'integer', title: 'Build', min: 7600, max: 999_999 },
        revision: { kind: 'integer', title: 'Lowest revision', min: 0, max: 999_999 },
      },
      minItems: 1,
      maxItems: 50,
      default: [
        { build: 19045, revision: 6000 },
        { build: 22631, revision: 5000 },
        { build: 26100, revision: 4000 },
      ],
    },
  },
  primaryKeyColumn: null,
  issueTitle: 'Windows is out of date',
  rationale:
    'Every month Microsoft closes faults in Windows that are public from that day, some of them already in use by attackers. A computer without these updates can be attacked with methods that anyone can look up.',
  fixInstructions: steps(
    'Save your work and connect the computer to power.',
    'Open **Settings › Windows Update**.',
    'Click **Check for updates**, then **Download & install** for what is offered.',
    'Click **Restart now** when the updates are ready, and check once more for updates after the restart.',
    'If Windows says that it is up to date, this release no longer gets updates: install the feature update that is offered there, or ask your IT team.',
  ),
  enabledByDefault: true,
}

const recentUpdate: CatalogueCheck = {
  slug: 'windows-recent-update',
  name: 'An update was installed recently',
  platforms: ['windows'],
  description: 'Reads from the update history when an update was last installed with success.',
  topics: ['updates'],
  sql: `WITH history AS (
  SELECT COUNT(*) AS entries,
    MAX(CASE WHEN result_code = 'Succeeded' AND operation = 'Installation' THEN date END) AS last_update
  FROM windows_update_history)
SELECT h.last_update,
  CASE WHEN h.entries = 0 OR t.unix_time IS NULL THEN 'UNKNOWN'
       WHEN h.last_update >= t.unix_time - {{ options.max_days | sql_integer }} * 86400 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM history h LEFT JOIN time t ON 1;`,
  options: {
    max_days: {
      kind: 'integer',
      title: 'Longest time in days',
      description: 'Windows publishes updates each month, and definitions more often.',
      min: 1,
      max: 365,
      default: 45,
    },
  },
  primaryKeyColumn: null,
  issueTitle: 'No Windows update was installed for weeks',
  rationale:
    'Windows gets updates at least once a month. When none was installed for {{ options.max_days }} days, updating is paused, broken or waiting for a restart, and known faults stay open.',
  fixInstructions: steps(
    'Open **Settings › Windows Update**.',
    'If updates are paused, click **Resume updates**.',
    'Click **Check for updates** and install everything that is offered, then restart.',
    'If an update fails again and again, open **Settings › System › Troubleshoot › Other troubleshooters** and run **Windows Update**. If that does not help, send the error code to your IT team.',
  ),
  intervalMinutes: 360,
  enabledByDefault: true,
}

const screenLock: CatalogueCheck = {
  slug: 'windows-screen-lock',
  name: 'The machine locks when idle',
  platforms: ['windows'],
  description: 'Reads after how many idle seconds the computer locks itself, for all accounts.',
  topics: ['screen lock', 'accounts'],
  // The key always holds other values, so no row at all means that the registry could not be read.
  sql: String.raw`SELECT MAX(CASE WHEN name = 'InactivityTimeoutSecs' THEN CAST(data AS INTEGER) END) AS seconds,
  CASE WHEN COUNT(*) = 0 THEN 'UNKNOWN'
       WHEN MAX(CASE WHEN name = 'InactivityTimeoutSecs' THEN CAST(data AS INTEGER) END)
         BETWEEN 1 AND {{ options.max_idle_seconds | sql_integer }} THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM registry WHERE key = 'HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Policies\System';`,
  options: {
    max_idle_seconds: {
      kind: 'integer',
      title: 'Longest idle time in seconds',
      description: 'How long the computer may stay unlocked while nobody uses it.',
      min: 60,
      max: 7200,
      default: 900,
    },
  },
  primaryKeyColumn: null,
  issueTitle: 'The computer does not lock when idle',
  rationale:
    'An unlocked computer is open to anyone who walks past it, with everything you are logged in to. Locking automatically after at most {{ options.max_idle_seconds }} seconds covers the times when you are called away.',
  fixInstructions: steps(
    'If your IT team manages this computer, ask them to set the policy **Interactive logon: Machine inactivity limit**.',
    'Otherwise open **Start**, type `secpol.msc` and open it (Windows Pro and Enterprise; it needs administrator rights).',
    'Open **Local Policies › Security Options** and double-click **Interactive logon: Machine inactivity limit**.',
    'Enter {{ options.max_idle_seconds }} seconds or less, but not 0, and click **OK**. Restart.',
    'Lock the computer yourself with **Windows + L** whenever you leave it.',
  ),
  enabledByDefault: true,
}

const secureBoot: CatalogueCheck = {
  slug: 'windows-secure-boot',
  name: 'Secure Boot is on',
  platforms: ['windows'],
  description: 'Reads whether the firmware starts signed boot loaders only.',
  topics: ['boot', 'system integrity'],
  sql: `SELECT MAX(secure_boot) AS secure_boot,
  CASE WHEN MAX(secure_boot) IS NULL THEN 'UNKNOWN'
       WHEN MAX(secure_boot) = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM secureboot;`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'Secure Boot is off',
  rationale:
    'Secure Boot lets the computer start only software that is signed by someone it trusts. Without it, malware can start before Windows does and stay hidden from every protection that Windows has.',
  fixInstructions: steps(
    'Have your BitLocker recovery key at hand: Windows may ask for it after this change.',
    'Open **Settings › System › Recovery** and click **Restart now** beside **Advanced startup**.',
    'Choose **Troubleshoot › Advanced options › UEFI Firmware Settings** and restart.',
    'In the firmware, look under **Security** or **Boot** for **Secure Boot**, enable it, save and exit.',
    'If the firmware offers it only after leaving **Legacy** or **CSM** mode, stop and ask your IT team: Windows may not start without a conversion of the disk.',
  ),
  enabledByDefault: true,
}

const tpm: CatalogueCheck = {
  slug: 'windows-tpm',
  name: 'The TPM is ready',
  platforms: ['windows'],
  description: 'Reads whether the computer has a security chip (TPM) that is activated, enabled and owned.',
  topics: ['boot', 'encryption'],
  sql: `SELECT MAX(spec_version) AS spec_version,
  CASE WHEN COUNT(*) = 0 THEN 'FAIL'
       WHEN MIN(activated) IS NULL OR MIN(enabled) IS NULL OR MIN(owned) IS NULL THEN 'UNKNOWN'
       WHEN MIN(activated) = 1 AND MIN(enabled) = 1 AND MIN(owned) = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM tpm_info;`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'The security chip (TPM) is not ready',
  rationale:
    'The TPM keeps the keys of BitLocker and Windows Hello in hardware, where they cannot be copied. Without it, these protections are weaker or missing.',
  fixInstructions: steps(
    'Open **Start**, type `tpm.msc` and open it. If it says **ready for use**, restart the computer and let it be checked again.',
    'Otherwise have your BitLocker recovery key at hand, open **Settings › System › Recovery** and click **Restart now** beside **Advanced startup**.',
    'Choose **Troubleshoot › Advanced options › UEFI Firmware Settings** and restart.',
    'Under **Security**, enable **TPM**, **Intel PTT** or **AMD fTPM**, whichever is shown. Do not clear the TPM. Save and exit.',
    'If no such entry exists, the computer has no TPM; ask your IT team about a replacement.',
  ),
  enabledByDefault: false,
}

const remoteDesktop: CatalogueCheck = {
  slug: 'windows-remote-desktop',
  name: 'Remote Desktop is off',
  platforms: ['windows'],
  description:
    'Reads whether the computer accepts Remote Desktop connections. A group policy comes before the local setting.',
  topics: ['network', 'remote access'],
  sql: String.raw`WITH setting AS (
  SELECT
    MAX(CASE WHEN path LIKE '%\Policies\%' THEN data END) AS policy,
    MAX(CASE WHEN path NOT LIKE '%\Policies\%' THEN data END) AS local
  FROM registry WHERE path IN (
    'HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\Windows NT\Terminal Services\fDenyTSConnections',
    'HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Terminal Server\fDenyTSConnections'))
SELECT COALESCE(policy, local) AS deny,
  CASE WHEN COALESCE(policy, local) IS NULL THEN 'UNKNOWN'
       WHEN COALESCE(policy, local) = '1' THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM setting;`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'Remote Desktop is on',
  rationale:
    'A computer that accepts Remote Desktop can be taken over by anyone on the network who learns or guesses a password. It is one of the ways that ransomware uses most. Few people need it on their own computer.',
  fixInstructions: steps(
    'Open **Settings › System › Remote Desktop**.',
    'Turn **Remote Desktop** off and confirm.',
    'If the switch is greyed out, a policy turned it on; tell your IT team.',
    'If you need it for your work, ask for an exemption and say from where you connect.',
  ),
  enabledByDefault: true,
}

const guestAccount: CatalogueCheck = {
  slug: 'windows-guest-account',
  name: 'The guest account is off',
  platforms: ['windows'],
  description: 'Reads from the local security policy whether the built-in guest account is enabled.',
  topics: ['accounts'],
  sql: `SELECT MAX(enable_guest_account) AS enable_guest_account,
  CASE WHEN MAX(enable_guest_account) IS NULL THEN 'UNKNOWN'
       WHEN MAX(enable_guest_account) = 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM security_profile_info;`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'The guest account is on',
  rationale:
    'The built-in guest account has no password. While it is on, anyone at the keyboard, and in some networks anyone nearby, can get into the computer without being known to it.',
  fixInstructions: steps(
    'Open **Start**, type `cmd`, right-click **Command Prompt** and choose **Run as administrator**.',
    'Enter `net user guest /active:no` and press Return. In another language of Windows the account has another name: `net user` lists it.',
    'Close the window.',
  ),
  enabledByDefault: true,
}

const chromeUpToDate: CatalogueCheck = {
  slug: 'windows-chrome-up-to-date',
  name: 'Chrome is up to date',
  platforms: ['windows'],
  description: 'Compares every installed Google Chrome with the lowest accepted version.',
  topics: ['updates', 'browsers'],
  sql: `SELECT COALESCE(p.name || '|' || COALESCE(p.install_location, ''), 'none') AS pk, p.version,
  CASE WHEN p.name IS NULL AND NOT EXISTS (SELECT 1 FROM programs) THEN 'UNKNOWN'
       WHEN p.name IS NULL THEN 'INAPPLICABLE'
       WHEN COALESCE(p.version, '') = '' THEN 'UNKNOWN'
       WHEN version_compare(p.version, {{ options.minimum_version | sql_text }}) >= 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN programs p ON p.name = 'Google Chrome';`,
  options: {
    minimum_version: {
      kind: 'version',
      title: 'Lowest accepted version',
      description: 'Raise it as new releases of Chrome appear.',
      default: '140.0.0.0',
    },
  },
  primaryKeyColumn: 'pk',
  issueTitle: 'Chrome is out of date',
  rationale:
    'The browser opens more from strangers than any other program, so its faults are the first that attackers use. Chrome fixes some every week or two, but a fix works only after Chrome has been restarted.',
  fixInstructions: withFound(
    'Installed versions that are out of date:',
    'version',
    steps(
      'Open Chrome, click the three dots at the top right and choose **Help › About Google Chrome**.',
      'Wait until the update is loaded and click **Relaunch**. You need at least version {{ options.minimum_version | code }}.',
      'If you do not use Chrome, uninstall it under **Settings › Apps › Installed apps**.',
    ),
  ),
  enabledByDefault: false,
}

const smb1: CatalogueCheck = {
  slug: 'windows-smb1',
  name: 'SMB 1 is off',
  platforms: ['windows'],
  description: 'Reads whether the old file sharing protocol SMB 1 is enabled as a Windows feature.',
  topics: ['network', 'sharing'],
  sql: `SELECT MAX(CASE WHEN name = 'SMB1Protocol' THEN statename END) AS statename,
  CASE WHEN COUNT(*) = 0 THEN 'UNKNOWN'
       WHEN TOTAL(name = 'SMB1Protocol' AND state = 1) > 0 THEN 'FAIL'
       ELSE 'PASS' END AS KOLIDE_CHECK_STATUS
FROM windows_optional_features;`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'The outdated protocol SMB 1 is on',
  rationale:
    'SMB 1 is a file sharing protocol of the 1980s without encryption. Worms such as WannaCry spread through it, and Windows has not needed it for many years. Only very old printers, scanners and network drives still ask for it.',
  fixInstructions: steps(
    'Open **Start**, type `Turn Windows features on or off` and open it.',
    'Clear **SMB 1.0/CIFS File Sharing Support** and click **OK**.',
    'Restart when Windows asks for it.',
    'If a device in your office cannot be reached afterwards, tell your IT team: its own software should be updated.',
  ),
  intervalMinutes: 1440,
  enabledByDefault: false,
}

export const windowsChecks: readonly CatalogueCheck[] = [
  bitlocker,
  firewall,
  antivirus,
  securityCenter,
  osUpToDate,
  recentUpdate,
  screenLock,
  secureBoot,
  tpm,
  remoteDesktop,
  guestAccount,
  chromeUpToDate,
  smb1,
]
