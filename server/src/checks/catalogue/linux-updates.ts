import type { CatalogueCheck } from './catalogue-check.ts'
import { sections, steps } from './markdown.ts'

export const unattendedUpgrades: CatalogueCheck = {
  slug: 'linux-unattended-upgrades',
  name: 'Unattended upgrades are on',
  platforms: ['linux'],
  description:
    'Reads whether unattended-upgrades is installed, its timer active, and APT::Periodic::Unattended-Upgrade set in the configuration of apt. Applies to Debian, Ubuntu and their relatives.',
  topics: ['updates'],
  // apt takes the last value: files of apt.conf.d by name, then apt.conf. Augeas numbers blocks of one name, as in
  // APT[2]/Periodic/Unattended-Upgrade; of a file that it cannot parse, as 50appstream, there is no node. A run by the
  // timer, and no other, touches upgrade-stamp.
  sql: `WITH part AS (
  SELECT path, substr(path, 21) AS base, size FROM file
  WHERE path LIKE '/etc/apt/apt.conf.d/%' AND COALESCE(type, '') <> 'directory'),
node AS (
  SELECT 0 AS place, path, substr(path, 21) AS base, node, lower(label) AS label, value FROM augeas
  WHERE node LIKE '/files/etc/apt/apt.conf.d/%%'
  UNION ALL
  SELECT 1, path, 'apt.conf', node, lower(label), value FROM augeas
  WHERE node LIKE '/files/etc/apt/apt.conf/%%'),
setting AS (
  SELECT label, value, place, path, node, CAST(substr(node, length(path) + 12) AS INTEGER) AS block FROM node
  WHERE label IN ('unattended-upgrade', 'enable') AND COALESCE(value, '') <> ''
    AND lower(substr(node, length(path) + 7)) GLOB '/apt*/periodic*/' || label || '*'
    AND base NOT GLOB '*[^A-Za-z0-9._-]*' AND (base NOT LIKE '%.%' OR base GLOB '*?.conf')),
found AS (
  SELECT (SELECT value FROM setting WHERE label = 'unattended-upgrade'
      ORDER BY place DESC, path DESC, block DESC, length(node) DESC, node DESC LIMIT 1) AS setting,
    (SELECT value FROM setting WHERE label = 'enable'
      ORDER BY place DESC, path DESC, block DESC, length(node) DESC, node DESC LIMIT 1) AS periodic,
    (SELECT COUNT(*) FROM node) AS nodes,
    (SELECT COUNT(*) FROM part
      WHERE COALESCE(size, 1) > 0 AND base <> '50appstream' AND base NOT GLOB '*[^A-Za-z0-9._-]*'
        AND (base NOT LIKE '%.%' OR base GLOB '*?.conf') AND path NOT IN (SELECT path FROM node)) AS unread,
    (SELECT MAX(f.mtime >= t.unix_time - 7 * 86400) FROM file f CROSS JOIN time t
      WHERE f.path = '/var/lib/apt/periodic/upgrade-stamp') AS ran,
    (SELECT MAX(version) FROM deb_packages WHERE name = 'unattended-upgrades' AND status LIKE 'install ok%') AS version,
    EXISTS (SELECT 1 FROM deb_packages) AND EXISTS (SELECT 1 FROM systemd_units) AS visible,
    EXISTS (SELECT 1 FROM systemd_units WHERE id = 'apt-daily-upgrade.timer' AND active_state = 'active') AS timer),
judged AS (
  SELECT o.platform, f.version, f.setting, f.periodic,
    CASE WHEN COALESCE(o.platform, '') = '' THEN 'UNKNOWN'
         WHEN o.platform NOT IN ('debian', 'ubuntu') AND COALESCE(o.platform_like, '') NOT LIKE '%debian%' THEN 'INAPPLICABLE'
         WHEN NOT f.visible THEN 'UNKNOWN'
         WHEN f.version IS NULL OR NOT f.timer THEN 'FAIL'
         WHEN f.periodic NOT GLOB '*[^0-9]*' AND CAST(f.periodic AS INTEGER) = 0 THEN 'FAIL'
         WHEN lower(f.setting) IN ('0', 'false', 'no', 'off') THEN 'FAIL'
         WHEN f.setting = 'always' OR CAST(f.setting AS INTEGER) > 0 OR f.ran = 1 THEN 'PASS'
         WHEN f.setting IS NULL AND f.nodes > 0 AND f.unread = 0 THEN 'FAIL'
         ELSE 'UNKNOWN' END AS status,
    f.visible
  FROM found f LEFT JOIN os_version o ON 1)
SELECT platform, version, setting AS unattended_upgrade, periodic AS periodic_enable, status AS KOLIDE_CHECK_STATUS,
  CASE WHEN status <> 'UNKNOWN' OR COALESCE(platform, '') = '' OR NOT visible THEN NULL
       WHEN setting IS NOT NULL THEN 'APT::Periodic::Unattended-Upgrade is set to a word that apt does not know.'
       ELSE 'osquery could not read all files that may set APT::Periodic::Unattended-Upgrade, and apt has left no trace of a run in the last 7 days.'
       END AS unknown_reason
FROM judged;`,
  cannotTell:
    'Does not know which packages the configuration lets through, or whether the last run succeeded. Other programs that install updates, such as the update manager of Linux Mint, do not count.',
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'Security updates are not installed by themselves',
  rationale:
    'Most attacks use faults for which an update exists already. With unattended upgrades the security updates of your distribution are on your computer within a day, and you do not have to think of it.',
  fixInstructions: steps(
    'Open a terminal and install the package: `sudo apt install unattended-upgrades`.',
    'Turn it on: `sudo dpkg-reconfigure --priority=low unattended-upgrades` and answer **Yes**.',
    'Start the timers: `sudo systemctl enable --now apt-daily.timer apt-daily-upgrade.timer`.',
    'Check it: `systemctl is-active apt-daily-upgrade.timer` says **active**, and `apt-config dump APT::Periodic` has `APT::Periodic::Unattended-Upgrade "1";`.',
    'If it has another value, or `APT::Periodic::Enable "0";`, a file sets it: find it with `grep -rni periodic /etc/apt/apt.conf /etc/apt/apt.conf.d` and change that line.',
  ),
  enabledByDefault: true,
}

export const osSupported: CatalogueCheck = {
  slug: 'linux-os-supported',
  name: 'The Linux release is supported',
  platforms: ['linux'],
  description:
    'Compares the release with the lowest accepted one of its distribution. An interim release of Ubuntu also fails more than 9 months after its month of release. Does not apply to distributions that are not listed.',
  topics: ['updates', 'operating system'],
  // Where /etc/redhat-release is there, osquery says "rhel" of Fedora and of every relative; only the name tells them
  // apart. A number that os-release does not give is 0.
  sql: `WITH floor_version(platform, major, minor) AS (
  VALUES {{ options.minimum_versions | sql_rows: "platform", "major", "minor" }}),
named AS (
  SELECT o.version, COALESCE(o.major, 0) AS major, COALESCE(o.minor, 0) AS minor,
    CASE WHEN o.platform <> 'rhel' OR COALESCE(o.name, '') IN ('', 'Unknown') THEN o.platform
         WHEN o.name LIKE 'Red Hat%' THEN 'rhel'
         WHEN o.name IN ('Fedora', 'Fedora Linux') THEN 'fedora'
         WHEN o.name LIKE 'CentOS%' THEN 'centos'
         WHEN o.name LIKE 'Rocky%' THEN 'rocky'
         WHEN o.name LIKE 'AlmaLinux%' THEN 'almalinux'
         ELSE 'other' END AS platform
  FROM os_version o),
release AS (
  SELECT n.platform, n.version, n.major, n.minor, f.major || '.' || f.minor AS minimum_version,
    f.major AS floor_major, f.minor AS floor_minor,
    n.minor = 0 AND f.minor > 0 AND COALESCE(n.version, '') NOT LIKE '%' || n.major || '.%' AS minor_missing,
    n.platform = 'ubuntu' AND n.minor > 0 AND NOT (n.major % 2 = 0 AND n.minor = 4) AS interim,
    (SELECT MAX(year * 12 + month) FROM time) - (2000 + n.major) * 12 - n.minor AS age
  FROM named n LEFT JOIN floor_version f ON f.platform =
    CASE WHEN n.platform IN ('centos', 'rocky', 'almalinux')
           AND NOT EXISTS (SELECT 1 FROM floor_version own WHERE own.platform = n.platform)
         THEN 'rhel' ELSE n.platform END)
SELECT r.platform, r.version, r.minimum_version,
  CASE WHEN COALESCE(r.platform, '') = '' THEN 'UNKNOWN'
       WHEN r.floor_major IS NULL THEN 'INAPPLICABLE'
       WHEN r.major <= 0 THEN 'UNKNOWN'
       WHEN r.major < r.floor_major THEN 'FAIL'
       WHEN r.major = r.floor_major AND r.minor_missing THEN 'UNKNOWN'
       WHEN r.major = r.floor_major AND r.minor < r.floor_minor THEN 'FAIL'
       WHEN r.interim AND r.age IS NULL THEN 'UNKNOWN'
       WHEN r.interim AND r.age > 9 THEN 'FAIL'
       ELSE 'PASS' END AS KOLIDE_CHECK_STATUS,
  CASE WHEN r.floor_major IS NULL THEN NULL
       WHEN r.major <= 0 THEN 'This system tells no release number, as testing and rolling releases do not.'
       WHEN r.major = r.floor_major AND r.minor_missing THEN 'This system tells only the first number of its release.'
       WHEN r.interim AND r.age IS NULL AND r.major * 100 + r.minor >= r.floor_major * 100 + r.floor_minor
       THEN 'The agent does not tell the date, which decides how long an interim release gets updates.' END AS unknown_reason
FROM (SELECT 1) seed LEFT JOIN release r ON 1;`,
  cannotTell:
    'Does not know whether someone pays for longer support, or whether updates are installed. Oracle Linux answers as RHEL does, and a rebuild of RHEL that is not listed is judged as RHEL.',
  options: {
    minimum_versions: {
      kind: 'record_list',
      title: 'Lowest accepted releases',
      description:
        'One entry for each distribution, by the ID in /etc/os-release. Ubuntu 22.04 is major 22, minor 4. CentOS, Rocky Linux and AlmaLinux (centos, rocky, almalinux) are judged as rhel where they have no entry of their own.',
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

export const pendingReboot: CatalogueCheck = {
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
  cannotTell:
    'The mark is left only by packages that know of it, such as update-notifier-common and unattended-upgrades. Where none of them is installed, the check passes whatever waits.',
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
