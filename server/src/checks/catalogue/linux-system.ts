import type { CatalogueCheck } from './catalogue-check.ts'
import { sections, steps, withFound } from './markdown.ts'

const diskEncryption: CatalogueCheck = {
  slug: 'linux-disk-encryption',
  name: 'The system volumes are encrypted (LUKS)',
  platforms: ['linux'],
  description:
    'Reads whether / and, where it is separate, /home lie on an encrypted device. The agent needs root to see this.',
  topics: ['encryption', 'storage'],
  sql: `WITH wanted(path) AS (VALUES ('/'), ('/home')),
m AS (
  SELECT m.path, m.device, d.encrypted, d.type
  FROM mounts m LEFT JOIN disk_encryption d ON d.name = m.device_alias OR d.name = m.device
  WHERE m.device LIKE '/dev/%')
SELECT w.path AS mount_path, MAX(m.device) AS device, MAX(m.type) AS type,
  CASE WHEN NOT EXISTS (SELECT 1 FROM mounts) THEN 'UNKNOWN'
       WHEN MAX(m.device) IS NULL AND w.path = '/home' THEN 'INAPPLICABLE'
       WHEN MAX(m.device) IS NULL OR MAX(m.encrypted) IS NULL THEN 'UNKNOWN'
       WHEN MAX(m.encrypted) = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM wanted w LEFT JOIN m ON m.path = w.path GROUP BY w.path;`,
  options: {},
  primaryKeyColumn: 'mount_path',
  issueTitle: 'The disk is not encrypted',
  rationale:
    'Without encryption, the disk can be taken out of the computer, or the computer started from a stick, and everything on it read without your password. A lost laptop then means lost documents, keys and saved sessions.',
  fixInstructions: withFound(
    'Not encrypted:',
    'mount_path',
    steps(
      'Back up your files to an encrypted disk or to the storage of your organization, and check that you can read the backup.',
      'Agree with your IT team on a time: encryption of a running system means installing it again.',
      'Start the installer of your distribution. Ubuntu: choose **Advanced features › Use LVM and encryption**. Debian: choose **Guided – use entire disk and set up encrypted LVM**. Fedora: turn on **Encrypt my data**.',
      'Choose a long passphrase and keep it in your password manager.',
      'Restore your files. `lsblk -o NAME,TYPE,MOUNTPOINTS` now shows a device of type **crypt** above `/`.',
    ),
  ),
  enabledByDefault: true,
}

const firewall: CatalogueCheck = {
  slug: 'linux-firewall',
  name: 'A host firewall is active',
  platforms: ['linux'],
  description:
    'Looks for firewalld or nftables as a running service, for loaded ufw chains, or for an INPUT chain that drops. ufw.service alone does not count: it is also active while ufw is disabled.',
  topics: ['network', 'firewall'],
  // osquery sees rules of the old iptables only, so a rule loader without visible rules cannot be judged.
  sql: `WITH unit AS (
  SELECT TOTAL(id IN ('firewalld.service', 'nftables.service')) AS services,
    TOTAL(id IN ('ufw.service', 'netfilter-persistent.service', 'iptables.service')) AS loaders
  FROM systemd_units WHERE active_state = 'active'),
rule AS (
  SELECT COUNT(*) AS rules, TOTAL(chain LIKE 'ufw%input%') AS ufw_rules,
    TOTAL(chain = 'INPUT' AND policy = 'DROP') AS drop_rules
  FROM iptables)
SELECT unit.services, rule.ufw_rules, rule.drop_rules,
  CASE WHEN unit.services > 0 OR rule.ufw_rules > 0 OR rule.drop_rules > 0 THEN 'PASS'
       WHEN NOT EXISTS (SELECT 1 FROM systemd_units) THEN 'UNKNOWN'
       WHEN rule.rules = 0 AND unit.loaders > 0 THEN 'UNKNOWN'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM unit, rule;`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'No firewall is active',
  rationale:
    'On a café or conference network every other guest can try to reach your computer. A development server or database that listens on every address is then open to them. A host firewall refuses what you did not ask for.',
  fixInstructions: sections({
    'Ubuntu and Debian': steps(
      'Open a terminal and install ufw: `sudo apt install ufw`.',
      'If you connect to this computer with SSH, allow it first: `sudo ufw allow OpenSSH`.',
      'Turn it on: `sudo ufw enable`.',
      'Check it: `sudo ufw status` says **active**.',
    ),
    'Fedora, RHEL and openSUSE': steps(
      'Open a terminal and install firewalld with `sudo dnf install firewalld`, or on openSUSE with `sudo zypper install firewalld`.',
      'Turn it on: `sudo systemctl enable --now firewalld`.',
      'Check it: `sudo firewall-cmd --state` says **running**.',
    ),
    'Arch and others': steps(
      'Install **nftables** or **ufw** from your distribution.',
      'Load a ruleset that drops incoming connections, and enable its service, for example `sudo systemctl enable --now nftables`.',
    ),
  }),
  enabledByDefault: true,
}

const unattendedUpgrades: CatalogueCheck = {
  slug: 'linux-unattended-upgrades',
  name: 'Unattended upgrades are on',
  platforms: ['linux'],
  description:
    'Reads whether unattended-upgrades is installed and its timer active. Applies to Debian, Ubuntu and their relatives.',
  topics: ['updates'],
  sql: `SELECT o.platform, p.version,
  CASE WHEN COALESCE(o.platform, '') = '' THEN 'UNKNOWN'
       WHEN o.platform NOT IN ('debian', 'ubuntu') AND COALESCE(o.platform_like, '') NOT LIKE '%debian%' THEN 'INAPPLICABLE'
       WHEN NOT EXISTS (SELECT 1 FROM deb_packages) OR NOT EXISTS (SELECT 1 FROM systemd_units) THEN 'UNKNOWN'
       WHEN p.name IS NOT NULL
         AND EXISTS (SELECT 1 FROM systemd_units WHERE id = 'apt-daily-upgrade.timer' AND active_state = 'active') THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN os_version o ON 1
LEFT JOIN deb_packages p ON p.name = 'unattended-upgrades' AND p.status LIKE 'install ok%';`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'Security updates are not installed by themselves',
  rationale:
    'Most attacks use faults for which an update exists already. With unattended upgrades the security updates of your distribution are on your computer within a day, and you do not have to think of it.',
  fixInstructions: steps(
    'Open a terminal and install the package: `sudo apt install unattended-upgrades`.',
    'Turn it on: `sudo dpkg-reconfigure --priority=low unattended-upgrades` and answer **Yes**.',
    'Start the timers: `sudo systemctl enable --now apt-daily.timer apt-daily-upgrade.timer`.',
    'Check it: `systemctl is-active apt-daily-upgrade.timer` says **active**.',
  ),
  enabledByDefault: true,
}

const osSupported: CatalogueCheck = {
  slug: 'linux-os-supported',
  name: 'The Linux release is supported',
  platforms: ['linux'],
  description:
    'Compares the release with the lowest accepted one of its distribution. Does not apply to distributions that are not listed.',
  topics: ['updates', 'operating system'],
  sql: `WITH floor_version(platform, major, minor) AS (
  VALUES {{ options.minimum_versions | sql_rows: "platform", "major", "minor" }})
SELECT o.platform, o.version, f.major || '.' || f.minor AS minimum_version,
  CASE WHEN COALESCE(o.platform, '') = '' THEN 'UNKNOWN'
       WHEN f.platform IS NULL THEN 'INAPPLICABLE'
       WHEN o.major IS NULL THEN 'UNKNOWN'
       WHEN o.major > f.major OR (o.major = f.major AND COALESCE(o.minor, 0) >= f.minor) THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN os_version o ON 1 LEFT JOIN floor_version f ON f.platform = o.platform;`,
  options: {
    minimum_versions: {
      kind: 'record_list',
      title: 'Lowest accepted releases',
      description: 'One entry for each distribution, by the ID in /etc/os-release. Ubuntu 22.04 is major 22, minor 4.',
      fields: {
        platform: { kind: 'text', title: 'Distribution', maxLength: 50 },
        major: { kind: 'integer', title: 'Major', min: 0, max: 9999 },
        minor: { kind: 'integer', title: 'Minor', min: 0, max: 999 },
      },
      minItems: 1,
      maxItems: 50,
      default: [
        { platform: 'debian', major: 12, minor: 0 },
        { platform: 'ubuntu', major: 22, minor: 4 },
        { platform: 'fedora', major: 43, minor: 0 },
        { platform: 'rhel', major: 8, minor: 0 },
      ],
    },
  },
  primaryKeyColumn: null,
  issueTitle: 'This Linux release no longer gets updates',
  rationale:
    'When a release reaches the end of its support, its faults are still found and published, but no longer fixed. Running the package manager then changes nothing: only a newer release helps.',
  fixInstructions:
    `${steps('Back up your files and connect the computer to power.', 'Install all updates of the present release and restart.', 'Upgrade as described for your distribution. It takes up to an hour.')}\n\n` +
    sections({
      Ubuntu: steps('Enter `sudo do-release-upgrade` and follow the questions.', 'Restart when it asks for it.'),
      Debian: steps(
        'Replace the old code name by the new one in the files under `/etc/apt/sources.list` and `/etc/apt/sources.list.d/`.',
        'Enter `sudo apt update`, `sudo apt upgrade --without-new-pkgs`, then `sudo apt full-upgrade`, and restart.',
      ),
      Fedora: steps(
        'Enter `sudo dnf system-upgrade download --releasever=N`, with the current release in place of `N`.',
        'Enter `sudo dnf system-upgrade reboot` (on Fedora 41 and newer `sudo dnf offline reboot`).',
      ),
      Others: steps('Follow the upgrade guide of your distribution, or ask your IT team.'),
    }),
  enabledByDefault: true,
}

const pendingReboot: CatalogueCheck = {
  slug: 'linux-pending-reboot',
  name: 'No reboot is pending after updates',
  platforms: ['linux'],
  description:
    'Looks for the file that Debian, Ubuntu and their relatives leave when an update needs a restart. Does not apply elsewhere.',
  topics: ['updates'],
  // /etc/passwd tells whether files can be seen at all, dpkg's status whether this family would leave the mark.
  sql: `SELECT TOTAL(path = '/var/run/reboot-required') AS pending,
  MAX(CASE WHEN path = '/var/run/reboot-required' THEN mtime END) AS since,
  CASE WHEN TOTAL(path = '/var/run/reboot-required') > 0 THEN 'FAIL'
       WHEN TOTAL(path = '/etc/passwd') = 0 THEN 'UNKNOWN'
       WHEN TOTAL(path = '/var/lib/dpkg/status') = 0 THEN 'INAPPLICABLE'
       ELSE 'PASS' END AS KOLIDE_CHECK_STATUS
FROM file WHERE path IN ('/var/run/reboot-required', '/etc/passwd', '/var/lib/dpkg/status');`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'A restart is pending after updates',
  rationale:
    'An update of the kernel or of a central library works only after a restart. Until then the computer keeps running the old version, with the faults that the update was meant to close.',
  fixInstructions: steps(
    'Save your work.',
    'See what asks for the restart, if you like: `cat /var/run/reboot-required.pkgs`.',
    'Restart the computer from the menu, or with `sudo systemctl reboot`.',
  ),
  enabledByDefault: true,
}

const secureBoot: CatalogueCheck = {
  slug: 'linux-secure-boot',
  name: 'Secure Boot is on',
  platforms: ['linux'],
  description:
    'Reads whether the firmware starts signed boot loaders only. Unknown on computers that start without UEFI.',
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
    'Secure Boot lets the computer start only software that is signed by someone it trusts. Without it, someone with the computer in their hands can change the unencrypted boot files and read your disk passphrase the next time you enter it.',
  fixInstructions: steps(
    'Check that your distribution supports it: Ubuntu, Debian, Fedora, RHEL and openSUSE do as they are. On others set it up first as their documentation says.',
    'If you use drivers that are not part of the kernel, such as NVIDIA or VirtualBox, sign them first (`mokutil` and the documentation of your distribution), or they will not load.',
    'If the TPM unlocks your disk, have the recovery key at hand: it may be asked for after this change.',
    'Enter `systemctl reboot --firmware-setup` to restart into the firmware.',
    'Look under **Security** or **Boot** for **Secure Boot**, enable it, save and exit.',
    'Check it: `mokutil --sb-state` says **SecureBoot enabled**.',
  ),
  enabledByDefault: true,
}

const mandatoryAccessControl: CatalogueCheck = {
  slug: 'linux-mandatory-access-control',
  name: 'AppArmor or SELinux enforces',
  platforms: ['linux'],
  description:
    'Looks for an AppArmor profile in enforce mode, or SELinux in enforcing mode. The agent needs root to see this.',
  topics: ['system integrity', 'hardening'],
  sql: `WITH seen AS (
  SELECT (SELECT COUNT(*) FROM apparmor_profiles) AS profiles,
    (SELECT COUNT(*) FROM apparmor_profiles WHERE mode = 'enforce') AS apparmor_enforced,
    (SELECT COUNT(*) FROM selinux_settings) AS settings,
    (SELECT MAX(value) FROM selinux_settings WHERE scope = '' AND key = 'enforce') AS selinux_enforce)
SELECT apparmor_enforced, selinux_enforce,
  CASE WHEN apparmor_enforced > 0 OR selinux_enforce = '1' THEN 'PASS'
       WHEN profiles = 0 AND settings = 0 THEN 'UNKNOWN'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM seen;`,
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'Neither AppArmor nor SELinux enforces its rules',
  rationale:
    'AppArmor and SELinux confine services to what they need, so that a service that was broken into cannot reach your files. In complain or permissive mode they only write down what they would have refused.',
  fixInstructions: sections({
    'Ubuntu, Debian and openSUSE (AppArmor)': steps(
      'Install the tools: `sudo apt install apparmor apparmor-utils`, or on openSUSE `sudo zypper install apparmor-utils`.',
      'Start it: `sudo systemctl enable --now apparmor`.',
      'Put the profiles in enforce mode: `sudo aa-enforce /etc/apparmor.d/*`.',
      'Check it: `sudo aa-status` lists profiles in enforce mode.',
    ),
    'Fedora and RHEL (SELinux)': steps(
      'Enter `getenforce`. If it says **Permissive**, enter `sudo setenforce 1`.',
      'Set `SELINUX=enforcing` in `/etc/selinux/config`, so that it lasts.',
      'If it said **Disabled**, set `SELINUX=permissive` there first, enter `sudo fixfiles -F onboot` and restart. The files are labelled again during the start; set `SELINUX=enforcing` and restart again when that is done.',
    ),
  }),
  enabledByDefault: false,
}

const kernelHardening: CatalogueCheck = {
  slug: 'linux-kernel-hardening',
  name: 'Kernel settings are hardened',
  platforms: ['linux'],
  description: 'Compares kernel settings (sysctl) with the lowest wanted values.',
  topics: ['hardening'],
  sql: `WITH wanted(name, value) AS (VALUES {{ options.wanted | sql_rows: "name", "value" }})
SELECT w.name, s.current_value, w.value AS wanted_value,
  CASE WHEN COALESCE(s.current_value, '') = '' THEN 'UNKNOWN'
       WHEN CAST(s.current_value AS INTEGER) >= w.value THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM wanted w LEFT JOIN system_controls s ON s.name = w.name;`,
  options: {
    wanted: {
      kind: 'record_list',
      title: 'Wanted settings',
      description: 'Names as sysctl has them, with the lowest value that is accepted.',
      fields: {
        name: { kind: 'text', title: 'Setting', maxLength: 100 },
        value: { kind: 'integer', title: 'Lowest value', min: 0, max: 2_147_483_647 },
      },
      minItems: 1,
      maxItems: 100,
      default: [
        { name: 'kernel.randomize_va_space', value: 2 },
        { name: 'net.ipv4.tcp_syncookies', value: 1 },
      ],
    },
  },
  primaryKeyColumn: 'name',
  issueTitle: 'A kernel setting is weaker than wanted',
  rationale:
    'These settings make faults in programs harder to use for an attack. Distributions set them well; a lower value usually stems from an experiment or from old advice for more speed.',
  fixInstructions: withFound(
    'Settings to raise:',
    'name',
    steps(
      'Find where the value is set: `grep -rn NAME /etc/sysctl.conf /etc/sysctl.d /usr/lib/sysctl.d`, with the setting in place of `NAME`.',
      'Remove the line, or write the wanted value into `/etc/sysctl.d/99-hardening.conf`:{% for row in rows %} {{ row.name | append: " = " | append: row.wanted_value | code }}{% endfor %}',
      'Load it: `sudo sysctl --system`.',
    ),
  ),
  enabledByDefault: false,
}

const requiredService: CatalogueCheck = {
  slug: 'linux-required-service',
  name: 'The required security service runs',
  platforms: ['linux'],
  description: 'Reads whether each of the listed systemd units is active.',
  topics: ['monitoring'],
  sql: `WITH wanted(unit) AS (VALUES {{ options.units | sql_rows }})
SELECT w.unit, s.active_state, s.sub_state,
  CASE WHEN NOT EXISTS (SELECT 1 FROM systemd_units) THEN 'UNKNOWN'
       WHEN s.active_state = 'active' THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM wanted w LEFT JOIN systemd_units s ON s.id = w.unit;`,
  options: {
    units: {
      kind: 'text_list',
      title: 'Required units',
      description: 'systemd units that have to be active, such as the service of your endpoint protection.',
      maxLength: 255,
      minItems: 1,
      maxItems: 50,
      default: ['auditd.service'],
    },
  },
  primaryKeyColumn: 'unit',
  issueTitle: 'A required security service is not running',
  rationale:
    'Your organization relies on this service to record or to stop attacks. While it does not run, an incident on this computer would go unnoticed.',
  fixInstructions: withFound(
    'Services that do not run:',
    'unit',
    steps(
      'See what is wrong: `systemctl status UNIT`, with the service in place of `UNIT`.',
      'If it says **could not be found**, install the package that your IT team names for it.',
      'Otherwise start it now and at every start: `sudo systemctl enable --now UNIT`.',
      'If it stops again, send the last lines of `journalctl -u UNIT` to your IT team.',
    ),
  ),
  enabledByDefault: false,
}

export const linuxSystemChecks: readonly CatalogueCheck[] = [
  diskEncryption,
  firewall,
  unattendedUpgrades,
  osSupported,
  pendingReboot,
  secureBoot,
  mandatoryAccessControl,
  kernelHardening,
  requiredService,
]
