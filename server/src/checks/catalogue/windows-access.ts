import type { CatalogueCheck } from './catalogue-check.ts'
import { steps, withFound } from './markdown.ts'

export const firewall: CatalogueCheck = {
  slug: 'windows-firewall',
  name: 'Windows Firewall is on for every profile',
  platforms: ['windows'],
  description:
    'Reads whether Windows Firewall is on for domain, private and public networks. Group policy and mobile device management come before the local setting; a profile that nobody set is on.',
  topics: ['network', 'firewall'],
  // Policies name the private profile PrivateProfile, or StandardProfile as the local setting does. Up to 5.23.1 osquery
  // compares the names of values with letter case, and Windows does not.
  sql: String.raw`WITH profile(name, folder) AS (
  VALUES ('DomainProfile', 'DomainProfile'), ('StandardProfile', 'StandardProfile'), ('StandardProfile', 'PrivateProfile'),
    ('PublicProfile', 'PublicProfile')),
store(source, prefix) AS (
  VALUES ('local', 'HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\'),
    ('policy', 'HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\Mdm\'),
    ('policy', 'HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\WindowsFirewall\')),
place AS (
  SELECT p.name AS profile, s.source, s.prefix || p.folder AS key FROM store s CROSS JOIN profile p
  WHERE s.source = 'policy' OR p.folder = p.name
  UNION ALL
  SELECT '', 'local', 'HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy'),
entry AS (
  SELECT p.profile, p.source, CASE WHEN lower(r.name) = 'enablefirewall' THEN COALESCE(r.data, '') END AS data
  FROM place p CROSS JOIN registry r ON r.key = p.key COLLATE NOCASE),
found AS (
  SELECT p.name AS profile,
    MIN(CASE WHEN e.source = 'policy' THEN e.data END) AS policy,
    MAX(CASE WHEN e.source = 'policy' THEN e.data END) AS other_policy,
    MAX(CASE WHEN e.source = 'local' THEN e.data END) AS local_setting
  FROM profile p LEFT JOIN entry e ON e.profile = p.name
  WHERE p.name = p.folder
  GROUP BY p.name),
judged AS (
  SELECT profile, COALESCE(policy, local_setting) AS enabled,
    CASE WHEN policy <> other_policy THEN 'Two policies contradict each other: one turns the firewall on, the other off.'
         WHEN COALESCE(policy, local_setting, '1') NOT IN ('0', '1') OR NOT EXISTS (SELECT 1 FROM entry)
         THEN 'The settings of Windows Firewall could not be read from the registry.' END AS unknown_reason
  FROM found)
SELECT p.name AS profile, j.enabled, j.unknown_reason,
  CASE WHEN j.unknown_reason IS NOT NULL THEN 'UNKNOWN'
       WHEN COALESCE(j.enabled, '1') = '1' THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM profile p JOIN judged j ON j.profile = p.name
WHERE p.name = p.folder;`,
  options: {},
  cannotTell:
    'It reads what Windows Firewall is told to do, not the rules, nor a firewall of another vendor that stands in for it. Where group policy and mobile device management contradict each other, it cannot tell which one Windows obeys.',
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

export const screenLock: CatalogueCheck = {
  slug: 'windows-screen-lock',
  name: 'The computer locks when idle',
  platforms: ['windows'],
  description:
    'Reads after how many idle seconds the computer locks itself. The limit for the whole computer is enough; without it, the screen saver of every person who is signed in must lock in time.',
  topics: ['screen lock', 'accounts'],
  // A person's registry is there only while they are signed in. A value of a policy comes before the person's own of the
  // same name; Windows asks for a screen saver to be chosen unless all three values are of a policy.
  sql: String.raw`WITH machine AS (
  SELECT MAX(CASE WHEN lower(name) = 'inactivitytimeoutsecs' THEN CAST(data AS INTEGER) END) AS seconds
  FROM registry WHERE key = 'HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Policies\System'),
hive AS (
  SELECT name AS sid FROM registry
  WHERE key = 'HKEY_USERS' AND type = 'subkey' AND (name LIKE 'S-1-5-21-%' OR name LIKE 'S-1-12-1-%') AND name NOT LIKE '%Classes'),
place(policy, folder) AS (
  VALUES (1, '\Software\Policies\Microsoft\Windows\Control Panel\Desktop'), (0, '\Control Panel\Desktop')),
setting AS (
  SELECT h.sid, p.policy, lower(r.name) AS name,
    CASE lower(r.name)
      WHEN 'screensavetimeout' THEN CAST(r.data AS INTEGER) BETWEEN 1 AND {{ options.max_idle_seconds | sql_integer }}
      WHEN 'scrnsave.exe' THEN COALESCE(r.data, '') <> ''
      ELSE CAST(r.data AS INTEGER) = 1 END AS good
  FROM hive h CROSS JOIN place p CROSS JOIN registry r ON r.key = 'HKEY_USERS\' || h.sid || p.folder COLLATE NOCASE
  WHERE lower(r.name) IN ('screensaveactive', 'screensaverissecure', 'screensavetimeout', 'scrnsave.exe')),
counting AS (
  SELECT sid, name, MAX(policy) AS policy, MAX(policy * 2 + good) % 2 AS good FROM setting GROUP BY sid, name),
person AS (
  SELECT h.sid,
    TOTAL(c.name <> 'scrnsave.exe' AND c.good) = 3
      AND (TOTAL(c.name <> 'scrnsave.exe' AND c.policy) = 3 OR TOTAL(c.name = 'scrnsave.exe' AND c.good) = 1) AS locks
  FROM hive h LEFT JOIN counting c ON c.sid = h.sid
  GROUP BY h.sid),
found AS (
  SELECT m.seconds, COALESCE(m.seconds, 0) BETWEEN 1 AND {{ options.max_idle_seconds | sql_integer }} AS machine_locks,
    (SELECT COUNT(*) FROM person) AS people, (SELECT COUNT(*) FROM person WHERE locks) AS people_with_lock
  FROM machine m)
SELECT seconds, people, people_with_lock,
  CASE WHEN NOT machine_locks AND people = 0
       THEN 'Nobody is signed in, and no limit for the whole computer is set: only the settings of people who are signed in can be read.'
       END AS unknown_reason,
  CASE WHEN machine_locks OR (people > 0 AND people_with_lock = people) THEN 'PASS'
       WHEN people = 0 THEN 'UNKNOWN'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM found;`,
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
  cannotTell:
    'The screen saver can be read only for people who are signed in, and an account whose services run counts as one. A lock that comes by other means, such as a paired phone that moves away or the device lock of mobile device management, is not seen.',
  primaryKeyColumn: null,
  issueTitle: 'The computer does not lock when idle',
  rationale:
    'An unlocked computer is open to anyone who walks past it, with everything you are logged in to. Locking automatically after at most {{ options.max_idle_seconds }} seconds covers the times when you are called away.',
  fixInstructions: steps(
    'If your IT team manages this computer, ask them to set the policy **Interactive logon: Machine inactivity limit**.',
    'Otherwise open **Start**, type `screen saver` and choose **Change screen saver**.',
    'Choose a screen saver, such as **Blank**.',
    'Set **Wait** to {{ options.max_idle_seconds }} seconds or less; the page counts in minutes.',
    'Select **On resume, display logon screen** and click **OK**. Everyone else who is signed in to this computer does the same.',
    'Lock the computer yourself with **Windows + L** whenever you leave it.',
  ),
  enabledByDefault: true,
}

export const remoteDesktop: CatalogueCheck = {
  slug: 'windows-remote-desktop',
  name: 'Remote Desktop is off',
  platforms: ['windows'],
  description:
    'Reads whether the computer accepts Remote Desktop connections. A group policy comes before the local setting.',
  topics: ['network', 'remote access'],
  // Up to 5.23.1 osquery compares the names of values with letter case, and Windows does not.
  sql: String.raw`WITH place(source, key) AS (
  VALUES ('policy', 'HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\Windows NT\Terminal Services'),
    ('local', 'HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Terminal Server')),
setting AS (
  SELECT MAX(CASE WHEN p.source = 'policy' THEN r.data END) AS policy, MAX(CASE WHEN p.source = 'local' THEN r.data END) AS local
  FROM place p CROSS JOIN registry r ON r.key = p.key COLLATE NOCASE
  WHERE lower(r.name) = 'fdenytsconnections')
SELECT COALESCE(policy, local) AS deny,
  CASE WHEN COALESCE(policy, local) IS NULL THEN 'UNKNOWN'
       WHEN COALESCE(policy, local) = '1' THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM setting;`,
  options: {},
  cannotTell:
    'Other programs for remote access are not looked for. Whether the firewall lets anyone reach Remote Desktop is not read.',
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

export const guestAccount: CatalogueCheck = {
  slug: 'windows-guest-account',
  name: 'The guest account is off',
  platforms: ['windows'],
  description: 'Reads from the local security policy whether the built-in guest account is enabled.',
  topics: ['accounts'],
  sql: `SELECT MAX(enable_guest_account) AS enable_guest_account,
  CASE WHEN COALESCE(MAX(enable_guest_account), -1) < 0 THEN 'UNKNOWN'
       WHEN MAX(enable_guest_account) = 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM security_profile_info;`,
  options: {},
  cannotTell: 'It reads the local security policy only. Where Windows does not tell the policy, nothing is known.',
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

export const smb1: CatalogueCheck = {
  slug: 'windows-smb1',
  edition: 2,
  name: 'SMB 1 is off',
  platforms: ['windows'],
  description: 'Reads whether the old file sharing protocol SMB 1 is enabled as a Windows feature.',
  topics: ['network', 'sharing'],
  sql: `SELECT MAX(CASE WHEN name = 'SMB1Protocol' THEN statename END) AS statename,
  CASE WHEN COUNT(*) = 0 THEN 'UNKNOWN'
       WHEN TOTAL(name = 'SMB1Protocol' AND state = 1) > 0 THEN 'FAIL'
       WHEN TOTAL(name = 'SMB1Protocol' AND state NOT IN (2, 3)) > 0 THEN 'UNKNOWN'
       ELSE 'PASS' END AS KOLIDE_CHECK_STATUS
FROM windows_optional_features;`,
  options: {},
  cannotTell:
    'It reads the Windows feature. A change of it that waits for a restart is not told from one that is done.',
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
