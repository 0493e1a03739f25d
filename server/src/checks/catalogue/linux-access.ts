import type { CatalogueCheck } from './catalogue-check.ts'
import { sections, steps, withFound } from './markdown.ts'

const emptyPasswords: CatalogueCheck = {
  slug: 'linux-empty-passwords',
  name: 'No account has an empty password',
  platforms: ['linux'],
  description: 'Looks for accounts whose password is empty. The agent needs root to see this.',
  topics: ['accounts', 'credentials'],
  // A name with a sign before it is a rule of NIS, not an account.
  sql: `WITH e AS (
  SELECT username, password_status FROM shadow
  WHERE password_status = 'empty' AND substr(username, 1, 1) NOT IN ('+', '-'))
SELECT COALESCE(e.username, 'none') AS username, e.password_status,
  CASE WHEN NOT EXISTS (SELECT 1 FROM shadow) THEN 'UNKNOWN'
       WHEN e.username IS NULL THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN e ON 1;`,
  cannotTell:
    'Reads the accounts of this computer only, not those of a directory. It does not know whether an account may log in at all, and not how strong a password is.',
  options: {},
  primaryKeyColumn: 'username',
  issueTitle: 'An account has an empty password',
  rationale:
    'An account with an empty password lets anyone at the keyboard log in, and sometimes anyone on the network. It is mostly left over from a setup or a test.',
  fixInstructions: withFound(
    'Accounts with an empty password:',
    'username',
    steps(
      'If you use the account, set a password: `sudo passwd NAME`, with the account in place of `NAME`.',
      'If only programs use it, lock its password: `sudo passwd --lock NAME`.',
      'If nobody needs it, remove it: `sudo userdel NAME`.',
    ),
  ),
  enabledByDefault: true,
  privacyInfo:
    'Reads the names of local accounts and whether their password is empty. Passwords and their hashes are never read.',
}

const sudoNopasswd: CatalogueCheck = {
  slug: 'linux-sudo-nopasswd',
  name: 'sudo asks for a password',
  platforms: ['linux', 'darwin'],
  description:
    'Looks for rules that let someone use sudo without a password, beyond the listed exceptions. The agent needs root to see this.',
  topics: ['accounts', 'hardening'],
  sql: `WITH r AS (
  SELECT source || '|' || header || '|' || rule_details AS rule, source, header, rule_details
  FROM sudoers
  WHERE (rule_details LIKE '%NOPASSWD%' OR (header LIKE 'Defaults%' AND rule_details LIKE '%!authenticate%'))
    AND header NOT IN ({{ options.allowed_headers | sql_list }}))
SELECT COALESCE(r.rule, 'none') AS rule, r.source, r.header, r.rule_details,
  CASE WHEN NOT EXISTS (SELECT 1 FROM sudoers) THEN 'UNKNOWN'
       WHEN r.rule IS NULL THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN r ON 1;`,
  cannotTell:
    'Reads the rules in files, not those of a directory (LDAP, SSSD). It does not know whether an account that a rule names exists.',
  options: {
    allowed_headers: {
      kind: 'text_list',
      title: 'Accounts and groups that may skip the password',
      description: 'As the rule names them; a group begins with a percent sign, such as %automation.',
      maxLength: 100,
      minItems: 0,
      maxItems: 100,
      default: ['root'],
    },
  },
  primaryKeyColumn: 'rule',
  issueTitle: 'sudo does not ask for a password',
  rationale:
    'When sudo asks for no password, every program that you start can become administrator without your noticing, and so can malware in a package or a script. The question for the password is the moment at which you can say no.',
  fixInstructions: withFound(
    'Rules without a password:',
    'rule',
    steps(
      'The first part of each rule is the file that holds it. Open it with `sudo visudo -f FILE`; visudo refuses a file with a mistake, which would lock you out.',
      'Remove the word `NOPASSWD:` from the rule, or `!authenticate` from the Defaults line, and save.',
      'Open a second terminal and check that `sudo -k true` asks for your password before you close the first.',
      'On a cloud image the rule is often in `/etc/sudoers.d/90-cloud-init-users`. Set a password for your account with `sudo passwd $USER` first.',
    ),
  ),
  enabledByDefault: false,
  privacyInfo: 'Reads the sudo rules, which name local accounts and groups.',
}

const sshdRootLogin: CatalogueCheck = {
  slug: 'linux-sshd-root-login',
  name: 'sshd refuses root with a password',
  platforms: ['linux'],
  description:
    'Reads PermitRootLogin from the configuration of sshd; the first file in sshd_config.d that sets it comes before the main file, rules for single addresses (Match) are left out. Passes as well where sshd accepts no password from anyone. Does not apply where sshd does not run.',
  topics: ['remote access', 'accounts'],
  // sshd takes the first value that it reads. Up to osquery 5.23, augeas reads none of the files in sshd_config.d: those
  // of packages, known by name, do not set PermitRootLogin, and those of cloud images may turn off passwords.
  sql: `WITH part AS (
  SELECT path, substr(path, 24) IN ('50-cloud-init.conf', '60-cloudimg-settings.conf') AS cloud,
    substr(path, 24) IN ('20-systemd-userdb.conf', '40-redhat-crypto-policies.conf', '50-redhat.conf') AS known
  FROM file WHERE path LIKE '/etc/ssh/sshd_config.d/%.conf'),
line AS (
  SELECT '0 ' || f.path AS place, a.path IS NULL AND NOT f.cloud AND NOT f.known AS unread, a.path IS NULL AND f.cloud AS cloud,
    a.node, lower(a.label) AS label, lower(a.value) AS value
  FROM part f LEFT JOIN augeas a ON a.path = f.path
  UNION ALL
  SELECT '1 ' || path, 0, 0, node, lower(label), lower(value) FROM augeas WHERE path = '/etc/ssh/sshd_config'),
conf AS (
  SELECT place, unread, cloud, label, place LIKE '1%' AS main,
    CASE WHEN COALESCE(node, '') NOT LIKE '%/Match%' THEN place || ' ' || COALESCE(node, '') || '=' || value END AS entry
  FROM line),
first AS (
  SELECT MIN(CASE WHEN label = 'permitrootlogin' THEN entry END) AS root,
    MIN(CASE WHEN label = 'passwordauthentication' THEN entry END) AS password,
    MIN(CASE WHEN label IN ('kbdinteractiveauthentication', 'challengeresponseauthentication') THEN entry END) AS interactive,
    MIN(CASE WHEN unread THEN place END) AS unread,
    TOTAL(cloud) AS cloud, TOTAL(main) AS main_lines, TOTAL(main AND label = 'include') AS includes
  FROM conf),
found AS (
  SELECT substr(root, instr(root, '=') + 1) AS value, substr(password, instr(password, '=') + 1) AS password,
    substr(interactive, instr(interactive, '=') + 1) AS interactive, main_lines > 0 AS main_read,
    unread IS NOT NULL AND (root IS NULL OR unread < root) AND (main_lines = 0 OR includes > 0) AS unread_root,
    cloud > 0 AND (main_lines = 0 OR includes > 0) AS unread_password,
    EXISTS (SELECT 1 FROM systemd_units) AS units,
    EXISTS (
      SELECT 1 FROM systemd_units
      WHERE id IN ('ssh.service', 'sshd.service', 'ssh.socket', 'sshd.socket') AND active_state = 'active') AS runs
  FROM first),
judged AS (
  SELECT value, unread_root, unread_password,
    CASE WHEN NOT units THEN 'UNKNOWN'
         WHEN NOT runs THEN 'INAPPLICABLE'
         WHEN unread_root OR (value IS NULL AND NOT main_read) THEN 'UNKNOWN'
         WHEN value IS NULL OR value IN ('no', 'prohibit-password', 'without-password', 'forced-commands-only') THEN 'PASS'
         WHEN value <> 'yes' OR unread_password THEN 'UNKNOWN'
         WHEN password = 'no' AND interactive = 'no' THEN 'PASS'
         ELSE 'FAIL' END AS status,
    units
  FROM found)
SELECT value AS permit_root_login, status AS KOLIDE_CHECK_STATUS,
  CASE WHEN status <> 'UNKNOWN' OR NOT units THEN NULL
       WHEN unread_root THEN 'osquery cannot read a file in /etc/ssh/sshd_config.d, which may set PermitRootLogin. In the main file alone it can be read.'
       WHEN value IS NULL THEN 'osquery cannot read /etc/ssh/sshd_config.'
       WHEN unread_password THEN 'PermitRootLogin is yes, and a file in /etc/ssh/sshd_config.d that osquery cannot read may turn off passwords.' END AS unknown_reason
FROM judged;`,
  cannotTell:
    'Rules for single addresses, people and groups (Match) and options on the command line of sshd are left out. osquery up to 5.23 does not read files in sshd_config.d: with one that no known package left there, the answer is unknown.',
  options: {},
  primaryKeyColumn: null,
  issueTitle: 'root can log in over SSH with a password',
  rationale:
    'Robots try passwords for root on every SSH server they find, day and night. When root may log in with a password, one weak password hands over the whole computer. Keys, or an account of your own with sudo, do not have this weakness.',
  fixInstructions: steps(
    'Make sure that you can log in with an account of your own and use `sudo`.',
    'Find where it is set: `sudo grep -rni permitrootlogin /etc/ssh/sshd_config /etc/ssh/sshd_config.d`.',
    'Change that line to `PermitRootLogin no`, or to `PermitRootLogin prohibit-password` if root needs a key for automation.',
    'Check the file: `sudo sshd -t` prints nothing when it is right.',
    'Load it: `sudo systemctl reload ssh` on Ubuntu and Debian, `sudo systemctl reload sshd` elsewhere. Keep your present session open until a new login works.',
  ),
  enabledByDefault: true,
}

const exposedServices: CatalogueCheck = {
  slug: 'linux-exposed-services',
  name: 'No denied port listens on every address',
  platforms: ['linux', 'darwin', 'windows'],
  description: 'Looks for listed TCP ports on which a program accepts connections from every address.',
  topics: ['network', 'remote access'],
  sql: `WITH l AS (
  SELECT l.protocol || '|' || l.address || '|' || l.port AS pk, l.port, l.address, MIN(p.name) AS process
  FROM listening_ports l LEFT JOIN processes p USING (pid)
  WHERE l.protocol = 6 AND l.address IN ('0.0.0.0', '::') AND l.port IN ({{ options.denied_ports | sql_list }})
  GROUP BY l.protocol, l.address, l.port)
SELECT COALESCE(l.pk, 'none') AS pk, l.port, l.address, l.process,
  CASE WHEN NOT EXISTS (SELECT 1 FROM listening_ports) THEN 'UNKNOWN'
       WHEN l.pk IS NULL THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN l ON 1;`,
  cannotTell:
    'Does not know whether a firewall in front of the port refuses the connection. A program that listens on one address of the network only is not found.',
  options: {
    denied_ports: {
      kind: 'integer_list',
      title: 'Denied ports',
      description: 'TCP ports that must not be open to every address.',
      min: 1,
      max: 65_535,
      minItems: 1,
      maxItems: 200,
      default: [21, 23, 512, 513, 514, 3389, 5900],
    },
  },
  primaryKeyColumn: 'pk',
  issueTitle: 'A denied service is open to the network',
  rationale:
    'A service that listens on every address can be reached by everyone on the same network, at home, in the office or in a café. The services listed here send passwords in the clear or hand over the screen, so they do not belong on a personal computer.',
  fixInstructions:
    '{% if rows.size > 0 %}Open to the network:\n{% for row in rows %}\n- port {{ row.port | code }} {% if row.process != blank %}({{ row.process | code }}){% endif %}{% endfor %}\n\n{% endif %}' +
    sections({
      Linux: steps(
        'Find the program: `sudo ss -ltnp`.',
        'Stop its service, also for later starts: `sudo systemctl disable --now NAME`. If it has a `.socket` unit, disable that as well.',
        'If you need it on this computer only, let it listen on `127.0.0.1` in its configuration.',
      ),
      macOS: steps(
        'Open **System Settings › General › Sharing** and turn off what you do not need; **Screen Sharing** uses port 5900.',
        'Otherwise find the program with `sudo lsof -nP -iTCP -sTCP:LISTEN` and quit or uninstall it.',
      ),
      Windows: steps(
        'Port 3389 is Remote Desktop: turn it off under **Settings › System › Remote Desktop**.',
        'Otherwise find the program with `netstat -abn` in a command prompt that runs as administrator, and stop or uninstall it.',
      ),
    }),
  enabledByDefault: false,
}

const chromeUpToDate: CatalogueCheck = {
  slug: 'linux-chrome-up-to-date',
  name: 'Chrome is up to date',
  platforms: ['linux'],
  description: 'Compares the installed Google Chrome package (deb or rpm) with the lowest accepted version.',
  topics: ['updates', 'browsers'],
  sql: `WITH p AS (
  SELECT name AS package, version FROM deb_packages WHERE name LIKE 'google-chrome-%' AND status LIKE 'install ok%'
  UNION ALL SELECT name, version FROM rpm_packages WHERE name LIKE 'google-chrome-%')
SELECT COALESCE(p.package, 'none') AS package, p.version,
  CASE WHEN p.package IS NULL AND NOT EXISTS (SELECT 1 FROM deb_packages) AND NOT EXISTS (SELECT 1 FROM rpm_packages) THEN 'UNKNOWN'
       WHEN p.package IS NULL THEN 'INAPPLICABLE'
       WHEN COALESCE(p.version, '') = '' THEN 'UNKNOWN'
       WHEN version_compare(p.version, {{ options.minimum_version | sql_text }}) >= 0 THEN 'PASS'
       ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM (SELECT 1) seed LEFT JOIN p ON 1;`,
  cannotTell:
    'Reads packages only, not Chrome from Flatpak or an unpacked archive, and not Chromium. It does not know whether Chrome was restarted after the update.',
  options: {
    minimum_version: {
      kind: 'version',
      title: 'Lowest accepted version',
      description: 'Raise it as new releases of Chrome appear.',
      default: '140.0.0.0',
    },
  },
  primaryKeyColumn: 'package',
  issueTitle: 'Chrome is out of date',
  rationale:
    'The browser opens more from strangers than any other program, so its faults are the first that attackers use. On Linux, Chrome comes with the updates of the system, and an update works only after Chrome has been restarted.',
  fixInstructions: withFound(
    'Packages that are out of date:',
    'package',
    sections({
      'Ubuntu and Debian': steps(
        'Enter `sudo apt update && sudo apt install --only-upgrade google-chrome-stable`. You need at least version {{ options.minimum_version | code }}.',
        'Close every window of Chrome and open it again.',
      ),
      'Fedora, RHEL and openSUSE': steps(
        'Enter `sudo dnf upgrade google-chrome-stable`, or on openSUSE `sudo zypper update google-chrome-stable`. You need at least version {{ options.minimum_version | code }}.',
        'Close every window of Chrome and open it again.',
      ),
    }),
  ),
  enabledByDefault: false,
}

export const linuxAccessChecks: readonly CatalogueCheck[] = [
  emptyPasswords,
  sudoNopasswd,
  sshdRootLogin,
  exposedServices,
  chromeUpToDate,
]
