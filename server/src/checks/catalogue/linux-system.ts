import type { CatalogueCheck } from './catalogue-check.ts'
import { osSupported, pendingReboot, unattendedUpgrades } from './linux-updates.ts'
import { sections, steps, withFound } from './markdown.ts'

const diskEncryption: CatalogueCheck = {
  slug: 'linux-disk-encryption',
  name: 'The system volumes are encrypted (LUKS)',
  platforms: ['linux'],
  description:
    'Reads whether / and, where it is separate, /home lie on an encrypted device. The agent needs root to see this.',
  topics: ['encryption', 'storage'],
  // osquery calls every device of libcryptsetup encrypted, also one that only guards integrity.
  sql: `WITH wanted(path) AS (VALUES ('/'), ('/home')),
m AS (
  SELECT m.path, m.device, m.type AS filesystem, d.type,
    CASE WHEN d.type LIKE 'VERITY%' OR d.type LIKE 'INTEGRITY%' THEN NULL ELSE d.encrypted END AS encrypted
  FROM mounts m LEFT JOIN disk_encryption d ON d.name = m.device_alias OR d.name = m.device
  WHERE m.device LIKE '/dev/%' OR m.type = 'zfs'),
found AS (
  SELECT w.path, MAX(m.device) AS device, MAX(m.type) AS type, MAX(m.encrypted) AS encrypted,
    TOTAL(m.filesystem = 'zfs') AS zfs
  FROM wanted w LEFT JOIN m ON m.path = w.path GROUP BY w.path)
SELECT path AS mount_path, device, type,
  CASE WHEN NOT EXISTS (SELECT 1 FROM mounts) THEN 'UNKNOWN'
       WHEN device IS NULL AND path = '/home' THEN 'INAPPLICABLE'
       WHEN device IS NULL OR encrypted IS NULL THEN 'UNKNOWN'
       WHEN encrypted = 1 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN device IS NULL OR encrypted IS NOT NULL THEN NULL
       WHEN zfs > 0 THEN 'osquery does not tell whether ZFS encrypts this volume.'
       WHEN NOT EXISTS (SELECT 1 FROM disk_encryption)
       THEN 'osquery tells the encryption of disks only to an agent that runs as root.'
       WHEN type LIKE 'VERITY%' OR type LIKE 'INTEGRITY%'
       THEN 'The device of this volume guards integrity, and osquery does not tell what lies below it.' END AS unknown_reason
FROM found;`,
  cannotTell:
    'It sees LUKS and plain dm-crypt only: a disk that encrypts itself, and the encryption of single folders, count as none, and for ZFS the answer is unknown. Swap and other volumes are not judged.',
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
    'Looks for firewalld or nftables as a running service, for loaded ufw chains, or for an INPUT chain that drops what no rule allows. Another firewall service alone does not count, since osquery may not see its rules.',
  topics: ['network', 'firewall'],
  // osquery sees rules of the old iptables only. ufw.service is also active while ufw is disabled, and its rules mostly
  // lie in nftables, whatever else the old iptables hold. Of a rule that drops, osquery does not tell the conditions.
  sql: `WITH unit AS (
  SELECT TOTAL(id IN ('firewalld.service', 'nftables.service')) AS services,
    TOTAL(id IN ('ufw.service', 'netfilter-persistent.service', 'iptables.service', 'firewall.service',
      'shorewall.service', 'firehol.service', 'ferm.service')) AS loaders
  FROM systemd_units WHERE active_state = 'active'),
rule AS (
  SELECT TOTAL(chain LIKE 'ufw%input%') AS ufw_rules, TOTAL(chain = 'INPUT' AND policy = 'DROP') AS drop_rules,
    TOTAL(chain = 'INPUT' AND filter_name = 'filter' AND target IN ('DROP', 'REJECT') AND protocol = 0
      AND iniface = 'all' AND src_mask = '0.0.0.0' AND dst_mask = '0.0.0.0') AS broad_rules
  FROM iptables),
judged AS (
  SELECT unit.services, rule.ufw_rules, rule.drop_rules, unit.loaders, rule.broad_rules,
    CASE WHEN unit.services > 0 OR rule.ufw_rules > 0 OR rule.drop_rules > 0 THEN 'PASS'
         WHEN NOT EXISTS (SELECT 1 FROM systemd_units) OR unit.loaders > 0 OR rule.broad_rules > 0 THEN 'UNKNOWN'
         ELSE 'FAIL' END AS status
  FROM unit JOIN rule ON 1)
SELECT services, ufw_rules, drop_rules, status AS KOLIDE_CHECK_STATUS,
  CASE WHEN status <> 'UNKNOWN' THEN NULL
       WHEN loaders > 0
       THEN 'A firewall service is active, but osquery does not see rules that are loaded through nftables.'
       WHEN broad_rules > 0
       THEN 'The INPUT chain drops or rejects, but osquery does not tell under which conditions.' END AS unknown_reason
FROM judged;`,
  cannotTell:
    'osquery sees rules of the old iptables for IPv4 only, none of nftables and none for IPv6. What firewalld or nftables allow is not read: a service that runs counts, also with rules that let everything in.',
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

const secureBoot: CatalogueCheck = {
  slug: 'linux-secure-boot',
  name: 'Secure Boot is on',
  platforms: ['linux'],
  description:
    'Reads whether the firmware starts signed boot loaders only. Unknown on computers that start without UEFI.',
  topics: ['boot', 'system integrity'],
  sql: `WITH found AS (SELECT MAX(secure_boot) AS secure_boot FROM secureboot)
SELECT secure_boot,
  CASE WHEN secure_boot = 1 THEN 'PASS'
       WHEN secure_boot = 0 THEN 'FAIL'
       ELSE 'UNKNOWN' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN secure_boot IS NULL
       THEN 'The computer starts without UEFI, or its firmware does not tell whether Secure Boot is on.'
       WHEN secure_boot NOT IN (0, 1) THEN 'The firmware answers something else than on or off.' END AS unknown_reason
FROM found;`,
  cannotTell:
    'Does not know whose keys the firmware trusts, or whether validation is turned off in shim (`mokutil --disable-validation`).',
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
  cannotTell:
    'Does not know whether the programs that matter have a profile. One AppArmor profile that enforces is enough to pass.',
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
  cannotTell: 'Reads the values of the running kernel, not whether they are still set after a restart.',
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
  cannotTell:
    'Does not know whether a service that runs does its work, such as whether its rules or signatures are current.',
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
