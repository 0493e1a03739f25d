import type { FieldCase } from './field-case.ts'
import { linuxUpdateFieldRows } from './field-rows-linux-updates.ts'
import { files, sshd, unit } from './linux-rows.ts'
import type { Tables } from './osquery-database.ts'

type Cases = readonly Omit<FieldCase, 'slug'>[]

const mount = (path: string, device: string, type = 'ext4') => ({ path, device, device_alias: device, type })
const disk = (name: string, encrypted: string, type = '') => ({ name, encrypted, type })
const cryptsetup = 'osquery source: crypt_status of libcryptsetup, and nothing where the agent is not root'

const diskEncryption: Cases = [
  {
    when: 'the system lies on LUKS',
    source: cryptsetup,
    tables: { mounts: [mount('/', '/dev/dm-1')], disk_encryption: [disk('/dev/dm-1', '1', 'LUKS2-aes-xts-plain64')] },
    says: ['PASS', 'INAPPLICABLE'],
  },
  {
    when: 'nothing is encrypted',
    source: cryptsetup,
    tables: { mounts: [mount('/', '/dev/sda2')], disk_encryption: [disk('/dev/sda2', '0')] },
    says: ['FAIL', 'INAPPLICABLE'],
  },
  {
    when: 'the device of the system only guards integrity',
    source: cryptsetup,
    tables: { mounts: [mount('/', '/dev/dm-0')], disk_encryption: [disk('/dev/dm-0', '1', 'VERITY-sha256')] },
    says: ['UNKNOWN', 'INAPPLICABLE'],
  },
  {
    when: '/home is a volume of ZFS',
    source: 'osquery source: only block devices are listed',
    tables: {
      mounts: [mount('/', '/dev/dm-1'), mount('/home', 'rpool/home', 'zfs')],
      disk_encryption: [disk('/dev/dm-1', '1', 'LUKS2')],
    },
    says: ['PASS', 'UNKNOWN'],
  },
  {
    when: 'the parent of a device is not told',
    source: 'osquery source: the state of a parent that is not found is empty',
    tables: { mounts: [mount('/', '/dev/dm-1')], disk_encryption: [disk('/dev/dm-1', '')] },
    says: ['UNKNOWN', 'INAPPLICABLE'],
  },
]

const rule = (chain: string, policy: string, target = '') => ({
  ...{ filter_name: 'filter', chain, policy },
  ...(target === '' ? {} : { target, protocol: '0', iniface: 'all', src_mask: '0.0.0.0', dst_mask: '0.0.0.0' }),
})
const iptables = 'osquery source: iptables reads the old tables only, and matches of a rule are not told'
const others = [rule('FORWARD', 'DROP'), rule('OUTPUT', 'ACCEPT')]

const firewall: Cases = [
  {
    when: 'firewalld runs',
    source: iptables,
    tables: { systemd_units: [unit('firewalld.service')] },
    says: ['PASS'],
  },
  {
    when: 'ufw filters in nftables while something else filled the old tables',
    source: iptables,
    tables: { systemd_units: [unit('ufw.service')], iptables: [rule('INPUT', 'ACCEPT'), ...others] },
    says: ['UNKNOWN'],
  },
  {
    when: 'iptables.service rejects by a last rule and not by the policy',
    source: 'rules that the iptables-services package of RHEL ships; osquery source',
    tables: {
      systemd_units: [unit('iptables.service')],
      iptables: [rule('INPUT', 'ACCEPT', 'REJECT'), rule('INPUT', 'ACCEPT'), ...others],
    },
    says: ['UNKNOWN'],
  },
  {
    when: 'a script of its own rejects by a last rule',
    source: iptables,
    tables: { systemd_units: [unit('cron.service')], iptables: [rule('INPUT', 'ACCEPT', 'REJECT')] },
    says: ['UNKNOWN'],
  },
  {
    when: 'NixOS loads its firewall through nftables',
    source: 'NixOS source: firewall.service loads the rules',
    tables: { systemd_units: [unit('firewall.service')] },
    says: ['UNKNOWN'],
  },
  {
    when: 'only another chain drops',
    source: iptables,
    tables: { systemd_units: [unit('docker.service')], iptables: [rule('INPUT', 'ACCEPT'), ...others] },
    says: ['FAIL'],
  },
]

const efi = 'osquery source: a variable of EFI that is neither 0 nor 1 is -1, and one that cannot be read is empty'
const secureBoot: Cases = (
  [
    ['1', 'PASS'],
    ['0', 'FAIL'],
    ['-1', 'UNKNOWN'],
    ['', 'UNKNOWN'],
  ] as const
).map(([value, status]) => ({
  when: `secure_boot is "${value}"`,
  source: efi,
  tables: { secureboot: [{ secure_boot: value, setup_mode: '' }] },
  says: [status],
}))

const oldLens = 'osquery 5.23 builds augeas of 2019: its lens sshd reads /etc/ssh/sshd_config only'
const main = (...values: [string, string][]) => values.map(([node, value]) => sshd('sshd_config', node, value))
function daemon(augeas: Tables[string], ...parts: string[]): Tables {
  return { systemd_units: [unit('ssh.service')], augeas, file: files('/etc/ssh/sshd_config.d', ...parts) }
}
const include: [string, string] = ['Include', '/etc/ssh/sshd_config.d/*.conf']

const sshdRootLogin: Cases = [
  {
    when: 'nothing sets it, and files of packages lie beside the main file',
    source: oldLens,
    tables: daemon(main(include, ['UsePAM', 'yes']), '50-redhat.conf', '50-cloud-init.conf'),
    says: ['PASS'],
  },
  {
    when: 'the installer of RHEL let root in by a file of its own',
    source: `RHEL 9: 01-permitrootlogin.conf; ${oldLens}`,
    tables: daemon(main(include, ['UsePAM', 'yes']), '01-permitrootlogin.conf', '50-redhat.conf'),
    says: ['UNKNOWN'],
  },
  {
    when: 'a file that cannot be read may refuse what the main file allows',
    source: oldLens,
    tables: daemon(main(include, ['PermitRootLogin', 'yes']), '10-hardening.conf'),
    says: ['UNKNOWN'],
  },
  {
    when: 'the main file does not include the folder',
    source: 'sshd_config(5): only files that Include names are read',
    tables: daemon(main(['PermitRootLogin', 'no']), '10-old.conf'),
    says: ['PASS'],
  },
  {
    when: 'the first of several lines counts',
    source: 'sshd_config(5): the first obtained value is used',
    tables: daemon(main(['PermitRootLogin[2]', 'no'], ['PermitRootLogin[1]', 'yes'])),
    says: ['FAIL'],
  },
  {
    when: 'root may log in and no password is accepted from anyone',
    source: 'sshd_config(5): PasswordAuthentication and KbdInteractiveAuthentication',
    tables: daemon(
      main(['PermitRootLogin', 'yes'], ['PasswordAuthentication', 'no'], ['KbdInteractiveAuthentication', 'no']),
    ),
    says: ['PASS'],
  },
  {
    when: 'PAM may still ask for a password',
    source: 'sshd_config(5): KbdInteractiveAuthentication is yes by default',
    tables: daemon(main(['PermitRootLogin', 'yes'], ['PasswordAuthentication', 'no'])),
    says: ['FAIL'],
  },
  {
    when: 'a file of a cloud image may turn off passwords',
    source: oldLens,
    tables: daemon(main(include, ['PermitRootLogin', 'yes']), '60-cloudimg-settings.conf'),
    says: ['UNKNOWN'],
  },
  {
    when: 'sshd is installed and stopped',
    source: 'osquery source: systemd_units',
    tables: { ...daemon(main(['PermitRootLogin', 'yes'])), systemd_units: [unit('ssh.service', 'inactive')] },
    says: ['INAPPLICABLE'],
  },
]

const shadow = 'osquery source: the second field of shadow, empty or not'
const emptyPasswords: Cases = [
  {
    when: 'a rule of NIS stands in the file',
    source: `${shadow}; nsswitch.conf(5): lines that begin with + or -`,
    tables: {
      shadow: [
        { username: 'root', password_status: 'locked' },
        { username: '+', password_status: 'empty' },
      ],
    },
    says: ['PASS'],
  },
  {
    when: 'the password of an account was deleted',
    source: shadow,
    tables: { shadow: [{ username: 'ana', password_status: 'empty' }] },
    says: ['FAIL'],
  },
]

const waiting: Cases = [
  {
    when: 'the mark lies there',
    source: 'unattended-upgrades source: REBOOT_REQUIRED_FILE',
    tables: { file: [...files('/etc', 'passwd'), ...files('/var/run', 'reboot-required')] },
    says: ['FAIL'],
  },
]

const home = { uid: '1000', gid: '1000', username: 'ana', directory: '/home/ana' }
const key = (name: string, encrypted: string, type = '', folder = '/home/ana/.ssh/'): Tables => ({
  users: [home],
  user_ssh_keys: [{ uid: '1000', path: `${folder}${name}`, encrypted, key_type: type }],
})
const handles = 'kolide launcher #1768: the table cannot tell a handle from a key'

const sshKeysEncrypted: Cases = [
  { when: 'it is the handle of a security key', source: handles, tables: key('id_ed25519_sk', '0'), says: ['UNKNOWN'] },
  {
    when: 'it is the handle of a security key on Windows',
    source: handles,
    tables: key('ID_ECDSA_SK', '0', '', 'C:\\Users\\ana\\.ssh\\'),
    says: ['UNKNOWN'],
  },
  { when: 'a handle has a passphrase', source: handles, tables: key('id_ed25519_sk', '1'), says: ['PASS'] },
  { when: 'a handle has another name', source: handles, tables: key('yubikey', '0'), says: ['FAIL'] },
  {
    when: 'an RSA key only has the name of a handle',
    source: 'osquery source: OpenSSL knows the kind of a key in PEM',
    tables: key('work_sk', '0', 'rsa'),
    says: ['FAIL'],
  },
  { when: 'it is not told', source: 'osquery source: user_ssh_keys', tables: key('id_rsa', ''), says: ['UNKNOWN'] },
]

const sshKeyPermissions: Cases = (
  [
    ['0600', 'PASS'],
    ['0400', 'PASS'],
    ['0640', 'FAIL'],
    ['', 'UNKNOWN'],
  ] as const
).map(([mode, status]) => ({
  when: `the mode of a key is "${mode}"`,
  source: 'osquery source: mode of file is text with a leading zero',
  tables: { ...key('id_rsa', '1'), file: [{ path: '/home/ana/.ssh/id_rsa', mode }] },
  says: [status],
}))

const of = (slug: string, cases: Cases) => cases.map((one) => ({ slug, ...one }))

/** What real Linux computers answer, and every system alike. */
export const linuxFieldRows: readonly FieldCase[] = [
  ...linuxUpdateFieldRows,
  ...of('linux-disk-encryption', diskEncryption),
  ...of('linux-firewall', firewall),
  ...of('linux-secure-boot', secureBoot),
  ...of('linux-sshd-root-login', sshdRootLogin),
  ...of('linux-empty-passwords', emptyPasswords),
  ...of('linux-pending-reboot', waiting),
  ...of('ssh-keys-encrypted', sshKeysEncrypted),
  ...of('ssh-key-permissions', sshKeyPermissions),
]
