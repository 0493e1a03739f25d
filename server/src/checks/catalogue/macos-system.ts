import type { CatalogueCheck } from './catalogue-check.ts'
import { findMy } from './macos-find-my.ts'
import { macosProtectionChecks } from './macos-protection.ts'
import { steps, withFound } from './markdown.ts'

const automaticUpdates: CatalogueCheck = {
  slug: 'macos-automatic-updates',
  name: 'macOS downloads updates and installs security responses automatically',
  platforms: ['darwin'],
  description:
    'Reads whether macOS looks for updates (before macOS 15), downloads them and installs security responses and system files automatically. Does not ask whether macOS installs its own updates. A setting that nobody changed is on. Managed settings take precedence over local ones.',
  topics: ['updates'],
  // From macOS 15 on there is no switch for AutomaticCheckEnabled; an old value says nothing.
  sql: `WITH wanted(setting) AS (
  VALUES ('AutomaticCheckEnabled'), ('AutomaticDownload'), ('CriticalUpdateInstall'), ('ConfigDataInstall')),
local_settings AS (
  SELECT key AS setting, MAX(value) AS value FROM plist
  WHERE path = '/Library/Preferences/com.apple.SoftwareUpdate.plist' GROUP BY key),
managed AS (
  SELECT name AS setting, MAX(value) AS value FROM managed_policies
  WHERE domain = 'com.apple.SoftwareUpdate' GROUP BY name),
mac AS (
  SELECT MAX(o.major) AS major, EXISTS (SELECT 1 FROM local_settings) AS has_file,
    MAX(o.major) >= 27 AND EXISTS (SELECT 1 FROM managed_policies) AS may_have_declaration
  FROM (SELECT 1) seed LEFT JOIN os_version o ON 1),
judged AS (
  SELECT w.setting, COALESCE(m.value, l.value) AS value, mac.may_have_declaration,
    CASE WHEN w.setting = 'AutomaticCheckEnabled' AND mac.major >= 15 THEN 'INAPPLICABLE'
         WHEN COALESCE(m.value, l.value) IN ('1', 'true') THEN 'PASS'
         WHEN mac.may_have_declaration THEN 'UNKNOWN'
         WHEN COALESCE(m.value, l.value) IN ('0', 'false') THEN 'FAIL'
         WHEN COALESCE(m.value, l.value) IS NULL AND mac.has_file THEN 'PASS'
         ELSE 'UNKNOWN' END AS status
  FROM wanted w JOIN mac ON 1 LEFT JOIN managed m ON m.setting = w.setting
  LEFT JOIN local_settings l ON l.setting = w.setting)
SELECT setting, COALESCE(value, '') AS value, status AS KOLIDE_CHECK_STATUS,
  CASE WHEN status = 'UNKNOWN' AND may_have_declaration
       THEN 'From macOS 27 on, a declaration of the device management can set this, and the agent cannot read declarations.'
       END AS unknown_reason
FROM judged;`,
  cannotTell:
    'Does not judge whether macOS installs its own updates automatically. On a managed Mac with macOS 27 or later, a setting that is not visibly on is unknown, since declarations leave no trace that the agent can read.',
  options: {},
  primaryKeyColumn: 'setting',
  issueTitle: 'An automatic update setting is off',
  rationale:
    'Most attacks on Macs use faults for which an update exists already. Security responses and system files that install themselves reach your Mac within hours. A macOS update that is already downloaded waits only for you to install it.',
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
    'Compares the installed version with the lowest accepted one of its major release. A release that is not listed fails; one that is newer than all listed ones is unknown until it is listed.',
  topics: ['updates', 'operating system'],
  // The numbers are joined because macOS calls 15.7.0 "15.7", which version_compare puts below "15.7.0", and names a
  // security response behind the version, as in "15.7.1 (a)".
  sql: `WITH floor_version(major, version) AS (
  VALUES {{ options.minimum_versions | sql_rows: "major", "version" }}),
judged AS (
  SELECT o.version, f.version AS minimum_version,
    CASE WHEN o.major IS NULL THEN 'UNKNOWN'
         WHEN f.version IS NULL AND o.major > (SELECT MAX(major) FROM floor_version) THEN 'NEWER'
         WHEN f.version IS NULL THEN 'FAIL'
         WHEN version_compare(o.major || '.' || COALESCE(o.minor, 0) || '.' || COALESCE(o.patch, 0), f.version) >= 0 THEN 'PASS'
         ELSE 'FAIL' END AS verdict
  FROM (SELECT 1) seed LEFT JOIN os_version o ON 1 LEFT JOIN floor_version f ON f.major = o.major)
SELECT version, minimum_version,
  CASE WHEN verdict = 'NEWER' THEN 'UNKNOWN' ELSE verdict END AS KOLIDE_CHECK_STATUS,
  CASE WHEN verdict = 'NEWER'
       THEN 'This release is newer than all that the check lists. An administrator can add its lowest accepted version.'
       END AS unknown_reason
FROM judged;`,
  cannotTell:
    'Knows only the versions in its option: it does not ask Apple which is the newest. It does not tell whether a security response such as (a) is installed.',
  options: {
    minimum_versions: {
      kind: 'record_list',
      title: 'Lowest accepted versions',
      description:
        'One entry for each major release of macOS that your organization accepts. Add new releases: on one that is newer than all listed here the answer is unknown.',
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
  cannotTell:
    'While remote management is on, screen sharing counts as off. A setting that the agent may not read counts as off too, and services other than those of macOS are not seen.',
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
  description:
    'Reads whether people can log in as guest, without a password. Managed settings take precedence over the local one.',
  topics: ['accounts'],
  // Where a profile says both, macOS follows EnableGuestAccount.
  sql: `WITH managed AS (
  SELECT CASE WHEN TOTAL(name = 'EnableGuestAccount' AND value IN ('1', 'true')) > 0 THEN '1'
              WHEN TOTAL(name = 'DisableGuestAccount' AND value IN ('1', 'true')) > 0 THEN '0' END AS guest_enabled
  FROM managed_policies WHERE domain = 'com.apple.MCX'),
local_setting AS (
  SELECT COUNT(*) AS settings, MAX(CASE WHEN key = 'GuestEnabled' THEN value END) AS guest_enabled
  FROM plist WHERE path = '/Library/Preferences/com.apple.loginwindow.plist'),
found AS (
  SELECT COALESCE(m.guest_enabled, l.guest_enabled, CASE WHEN l.settings > 0 THEN '0' END) AS decisive,
    COALESCE(m.guest_enabled, l.guest_enabled) AS guest_enabled
  FROM managed m JOIN local_setting l ON 1)
SELECT guest_enabled,
  CASE WHEN decisive IN ('1', 'true') THEN 'FAIL'
       WHEN decisive IN ('0', 'false') THEN 'PASS'
       ELSE 'UNKNOWN' END AS KOLIDE_CHECK_STATUS
FROM found;`,
  cannotTell: 'Does not know whether guests can reach shared folders over the network, which is another setting.',
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'The guest account is on',
  rationale:
    'The guest account lets anyone use this Mac without a password and without leaving a trace. From there, faults in macOS and open network shares are within reach.',
  fixInstructions: steps(
    'Open **System Settings** and choose **Users & Groups**.',
    'Click the **i** beside **Guest User**.',
    'Turn off **Allow guests to log in to this computer** and click **OK**. If it is greyed out, your organization manages it; tell your IT team.',
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
  cannotTell: 'Reads the local setting only, not an automatic login that a configuration profile sets.',
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
    'Reads the start-up security level: Full Security on Apple silicon, mode 1 on an Intel Mac with a T2 chip. Unknown on a Mac that has no such level.',
  topics: ['boot', 'system integrity'],
  // Apple silicon answers with a word of the system language; the five here are what macOS calls Full Security in
  // English, French, German, Japanese and Russian.
  sql: `WITH boot AS (
  SELECT MAX(secure_mode) AS secure_mode, COALESCE(MAX(description), '') AS description FROM secureboot),
judged AS (
  SELECT secure_mode, description,
    CASE WHEN secure_mode IN (0, 2) OR description IN ('Reduced Security', 'Permissive Security') THEN 'FAIL'
         WHEN secure_mode = 1 OR description IN (
           'Full Security', 'Sécurité maximale', 'Volle Sicherheit', '完全なセキュリティ', 'Высший уровень безопасности') THEN 'PASS'
         ELSE 'UNKNOWN' END AS status
  FROM boot)
SELECT secure_mode, description, status AS KOLIDE_CHECK_STATUS,
  CASE WHEN status = 'UNKNOWN' AND description <> ''
       THEN 'The Mac names its security level in a language whose word for it Muster does not know.'
       WHEN status = 'UNKNOWN' THEN 'The Mac tells no security level. An Intel Mac without a T2 chip has none.'
       END AS unknown_reason
FROM judged;`,
  cannotTell:
    'On Apple silicon it knows the word for Full Security in English, French, German, Japanese and Russian, and the lower levels in English only; every other word is unknown. An Intel Mac without a T2 chip has no such level.',
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

export const macosSystemChecks: readonly CatalogueCheck[] = [
  ...macosProtectionChecks,
  automaticUpdates,
  osUpToDate,
  sharingServices,
  guestAccount,
  automaticLogin,
  secureBoot,
  findMy,
]
