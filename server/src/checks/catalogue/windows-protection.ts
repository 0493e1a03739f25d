import type { CatalogueCheck } from './catalogue-check.ts'
import { sections, steps, withFound } from './markdown.ts'

const fixedDriveWords = [
  'Local Fixed Disk',
  'Lokale Festplatte',
  'Disque fixe local',
  'Disque monté local',
  'Disco fijo local',
  'Disco fixo local',
  'Disco fisso locale',
  'Локальный несъемный диск',
  'ローカル固定ディスク',
  '本地固定磁盘',
]

const removableDriveWords = [
  'Removable Disk',
  'Wechseldatenträger',
  'Disque amovible',
  'Disco extraíble',
  'Disco removível',
  'Disco rimovibile',
  'Съемный диск',
  'リムーバブル ディスク',
  '可移动磁盘',
]

function driveWords(kind: 'fixed' | 'removable', words: readonly string[]): string {
  return words.map((word) => `('${word}', '${kind}')`).join(', ')
}

export const bitlocker: CatalogueCheck = {
  slug: 'windows-bitlocker',
  name: 'BitLocker protects the system drive and fixed drives',
  platforms: ['windows'],
  description:
    'Reads the BitLocker protection of the system drive and of every drive that Windows names as fixed. Removable drives do not count.',
  topics: ['encryption', 'storage'],
  // Windows tells what kind of drive it is by a word of its own language alone. Up to osquery 5.23.1 protection_status can
  // stay 1 after a drive was decrypted.
  sql: `WITH word(description, kind) AS (VALUES
  ${driveWords('fixed', fixedDriveWords)},
  ${driveWords('removable', removableDriveWords)}),
drive AS (
  SELECT b.drive_letter, b.protection_status, b.conversion_status, b.percentage_encrypted, b.encryption_method,
    CASE WHEN l.boot_partition = 1 THEN 'fixed' ELSE w.kind END AS kind,
    CASE WHEN b.protection_status = 2 THEN 'The drive is locked. Unlock it, so that it can be checked.'
         WHEN COALESCE(b.protection_status, -1) NOT IN (0, 1) OR COALESCE(b.conversion_status, -1) < 0
         THEN 'Windows does not tell whether this drive is encrypted.' END AS no_answer,
    b.protection_status = 1 AND b.conversion_status IN (1, 2, 4) AND COALESCE(b.encryption_method, '') <> 'None' AS is_protected
  FROM bitlocker_info b
  LEFT JOIN logical_drives l ON l.device_id = b.drive_letter
  LEFT JOIN word w ON w.description = TRIM(l.description) COLLATE NOCASE
  WHERE b.drive_letter <> ''),
judged AS (
  SELECT d.*, CASE
    WHEN d.drive_letter IS NULL THEN 'Windows lists no drive that BitLocker could protect.'
    WHEN d.no_answer IS NOT NULL THEN d.no_answer
    WHEN NOT d.is_protected AND d.kind IS NULL
    THEN 'BitLocker does not protect this drive, and it is not known whether the drive is fixed or removable.' END AS unknown_reason
  FROM (SELECT 1) seed LEFT JOIN drive d ON 1)
SELECT COALESCE(drive_letter, 'none') AS drive_letter, protection_status, conversion_status, percentage_encrypted, encryption_method,
  unknown_reason,
  CASE WHEN unknown_reason IS NOT NULL THEN 'UNKNOWN'
       WHEN is_protected THEN 'PASS'
       WHEN kind = 'removable' THEN 'INAPPLICABLE'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM judged;`,
  options: {},
  cannotTell:
    'Apart from the system drive, which drives are fixed is known by a word in the language of Windows: a drive without protection whose word is not known is neither passed nor failed. An external hard disk that Windows names as fixed counts as fixed, and drives without a letter are not read.',
  primaryKeyColumn: 'drive_letter',
  issueTitle: 'A fixed drive is not protected by BitLocker',
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

export const antivirus: CatalogueCheck = {
  slug: 'windows-antivirus',
  name: 'An antivirus is on and current',
  platforms: ['windows'],
  description:
    'Reads how Windows Security Center judges the antivirus, and the products that Windows knows. One that is on, with current signatures, is enough.',
  topics: ['malware'],
  sql: `WITH product AS (
  SELECT name, COALESCE(state, '') = 'On' AS is_on, COALESCE(signatures_up_to_date, 0) = 1 AS is_current
  FROM windows_security_products WHERE type = 'Antivirus'),
found AS (
  SELECT (SELECT MAX(antivirus) FROM windows_security_center) AS security_center,
    COUNT(*) AS products, GROUP_CONCAT(name, ', ') AS names, TOTAL(is_on AND is_current) > 0 AS protects,
    EXISTS (SELECT 1 FROM product a JOIN product b ON b.name = a.name
      WHERE a.is_on AND NOT a.is_current AND NOT b.is_on AND b.is_current) AS is_listed_twice
  FROM product),
judged AS (
  SELECT *, CASE
    WHEN security_center = 'Good' OR protects OR security_center = 'Poor' THEN NULL
    WHEN products = 0 THEN 'Windows names no antivirus. On Windows Server it never does.'
    WHEN COALESCE(security_center, '') IN ('Snoozed', 'Not Monitored') THEN NULL
    WHEN is_listed_twice THEN 'Windows lists one product twice, as on and outdated and as off and current, and Security Center does not answer.'
    END AS unknown_reason
  FROM found)
SELECT products, names, security_center, unknown_reason,
  CASE WHEN unknown_reason IS NOT NULL THEN 'UNKNOWN'
       WHEN security_center = 'Good' OR protects THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM judged;`,
  options: {},
  cannotTell:
    'It knows only products that register with Windows Security Center. Windows Server has no Security Center, so nothing is known there.',
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

export const securityCenter: CatalogueCheck = {
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
  cannotTell:
    'osquery itself reports autoupdate as Poor when an update service of Windows is disabled or missing, whatever Windows says. Windows Server has no Security Center, so nothing is known there.',
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

export const secureBoot: CatalogueCheck = {
  slug: 'windows-secure-boot',
  name: 'Secure Boot is on',
  platforms: ['windows'],
  description: 'Reads whether the firmware starts signed boot loaders only.',
  topics: ['boot', 'system integrity'],
  sql: `SELECT MAX(secure_boot) AS secure_boot,
  CASE WHEN COALESCE(MAX(secure_boot), -1) < 0 THEN 'UNKNOWN'
       WHEN MAX(secure_boot) = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM secureboot;`,
  options: {},
  cannotTell:
    'A value that osquery cannot read is neither passed nor failed. Which keys the firmware trusts is not read.',
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

export const tpm: CatalogueCheck = {
  slug: 'windows-tpm',
  name: 'The TPM is ready',
  platforms: ['windows'],
  description: 'Reads whether the computer has a security chip (TPM) that is activated, enabled and owned.',
  topics: ['boot', 'encryption'],
  sql: `SELECT MAX(spec_version) AS spec_version,
  CASE WHEN COUNT(*) = 0 THEN 'Windows tells of no TPM: the computer has none, it is off in the firmware, or Windows does not answer.'
    END AS unknown_reason,
  CASE WHEN COUNT(*) = 0 THEN 'UNKNOWN'
       WHEN MIN(activated) IS NULL OR MIN(enabled) IS NULL OR MIN(owned) IS NULL THEN 'UNKNOWN'
       WHEN MIN(activated) = 1 AND MIN(enabled) = 1 AND MIN(owned) = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM tpm_info;`,
  options: {},
  cannotTell:
    'A computer without a TPM cannot be told from one where Windows does not answer. osquery also answers 0, which fails, where Windows refuses to say whether the TPM is enabled, activated or owned.',
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
