type Row = Record<string, string | number>
type Tables = Record<string, Row[]>
export type CheckFixture = { pass: Tables; fail: Tables }

const ana = { uid: 1000, gid: 1000, username: 'ana', directory: '/home/ana' }
const macAna = { uid: 501, gid: 20, username: 'ana', directory: '/Users/ana' }

const updatePlist = '/Library/Preferences/com.apple.SoftwareUpdate.plist'
const loginPlist = '/Library/Preferences/com.apple.loginwindow.plist'
const lastUser = { path: loginPlist, key: 'lastUser', subkey: '', value: 'loggedIn' }

const macMounts = [
  { path: '/', device: '/dev/disk3s1s1', type: 'apfs' },
  { path: '/System/Volumes/Data', device: '/dev/disk3s5', type: 'apfs' },
]

function softwareUpdate(...values: [string, string][]): Row[] {
  return values.map(([key, value]) => ({ path: updatePlist, key, subkey: '', value }))
}

function registryValue(key: string, name: string, data: string): Row {
  return { key, path: `${key}\\${name}`, name, type: 'REG_DWORD', data }
}

function firewallProfiles(domain: string, standard: string, open: string): Row[] {
  const policy = 'HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\SharedAccess\\Parameters\\FirewallPolicy'
  return [
    registryValue(`${policy}\\DomainProfile`, 'EnableFirewall', domain),
    registryValue(`${policy}\\StandardProfile`, 'EnableFirewall', standard),
    registryValue(`${policy}\\PublicProfile`, 'EnableFirewall', open),
  ]
}

const systemPolicies = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Policies\\System'
const currentVersion = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion'
const anaSid = 'S-1-5-21-3623811015-3361044348-30300820-1013'
const fixedDrives = [
  { device_id: 'C:', type: 'Unknown', description: 'Local Fixed Disk', boot_partition: 1 },
  { device_id: 'D:', type: 'Unknown', description: 'Local Fixed Disk', boot_partition: 0 },
]
const terminalServer = 'HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Terminal Server'

const noSharing = {
  screen_sharing: 0,
  file_sharing: 0,
  printer_sharing: 0,
  remote_login: 0,
  remote_management: 0,
  remote_apple_events: 0,
  internet_sharing: 0,
  bluetooth_sharing: 0,
  disc_sharing: 0,
  content_caching: 0,
}

const debian = { name: 'Debian GNU/Linux', version: '12 (bookworm)', major: 12, minor: 0, patch: 0, platform: 'debian' }
const runningJournal = unit('systemd-journald.service', 'active', 'running')

function unit(id: string, activeState: string, subState: string): Row {
  return { id, load_state: 'loaded', active_state: activeState, sub_state: subState }
}

function deb(name: string, version: string): Row {
  return { name, version, arch: 'amd64', status: 'install ok installed' }
}

/**
 * For each check of the catalogue the rows of osquery tables with which it passes, and with which it fails. Tables that
 * a check reads and a fixture does not name are empty.
 */
export const checkFixtures: Record<string, CheckFixture> = {
  'macos-disk-encryption': {
    pass: { mounts: macMounts, disk_encryption: [macVolume('disk3s1s1', 'on'), macVolume('disk3s5', 'on')] },
    fail: { mounts: macMounts, disk_encryption: [macVolume('disk3s1s1', 'off'), macVolume('disk3s5', 'off')] },
  },
  'macos-firewall': {
    pass: { alf: [{ global_state: 1, stealth_enabled: 0 }] },
    fail: { alf: [{ global_state: 0, stealth_enabled: 0 }] },
  },
  'macos-firewall-stealth': {
    pass: { alf: [{ global_state: 1, stealth_enabled: 1 }] },
    fail: { alf: [{ global_state: 1, stealth_enabled: 0 }] },
  },
  'macos-screen-lock': {
    pass: { managed_policies: screenSaverProfile('5') },
    fail: { managed_policies: screenSaverProfile('900') },
  },
  'macos-gatekeeper': {
    pass: { gatekeeper: [{ assessments_enabled: 1, dev_id_enabled: 1 }] },
    fail: { gatekeeper: [{ assessments_enabled: 0, dev_id_enabled: 0 }] },
  },
  'macos-sip': {
    pass: {
      sip_config: [
        { config_flag: 'sip', enabled: 1, enabled_nvram: 1 },
        { config_flag: 'allow_apple_internal', enabled: 0, enabled_nvram: 0 },
      ],
    },
    fail: {
      sip_config: [
        { config_flag: 'sip', enabled: 0, enabled_nvram: 0 },
        { config_flag: 'allow_unrestricted_fs', enabled: 1, enabled_nvram: 1 },
      ],
    },
  },
  'macos-automatic-updates': {
    pass: {
      plist: softwareUpdate(['AutomaticCheckEnabled', '1'], ['AutomaticDownload', '1'], ['CriticalUpdateInstall', '1']),
      managed_policies: [{ domain: 'com.apple.SoftwareUpdate', name: 'ConfigDataInstall', value: '1', manual: 1 }],
    },
    fail: {
      plist: softwareUpdate(
        ['AutomaticCheckEnabled', '1'],
        ['AutomaticDownload', '0'],
        ['CriticalUpdateInstall', '1'],
        ['ConfigDataInstall', '1'],
      ),
    },
  },
  'macos-os-up-to-date': {
    pass: { os_version: [{ name: 'macOS', version: '26.0', major: 26, minor: 0, patch: 0, platform: 'darwin' }] },
    fail: { os_version: [{ name: 'macOS', version: '15.1', major: 15, minor: 1, patch: 0, platform: 'darwin' }] },
  },
  'macos-sharing-services': {
    pass: { sharing_preferences: [noSharing] },
    fail: { sharing_preferences: [{ ...noSharing, remote_login: 1 }] },
  },
  'macos-guest-account': {
    pass: { plist: [lastUser] },
    fail: { plist: [lastUser, { path: loginPlist, key: 'GuestEnabled', subkey: '', value: '1' }] },
  },
  'macos-automatic-login': {
    pass: { plist: [lastUser] },
    fail: { plist: [lastUser, { path: loginPlist, key: 'autoLoginUser', subkey: '', value: 'ana' }] },
  },
  'macos-secure-boot': {
    pass: { secureboot: [{ description: 'Full Security' }] },
    fail: { secureboot: [{ description: 'Reduced Security' }] },
  },
  'macos-find-my': {
    pass: { nvram: [{ name: 'fmm-mobileme-token-FMM', type: 'CFData', value: '%00' }] },
    fail: {
      nvram: [{ name: 'boot-args', type: 'CFString', value: '' }],
      os_version: [{ name: 'macOS', version: '15.5', major: 15, minor: 5, patch: 0, platform: 'darwin' }],
      system_info: [{ cpu_type: 'arm64e', cpu_brand: 'Apple M2' }],
    },
  },
  'macos-time-machine-encrypted': {
    pass: { time_machine_destinations: [{ destination_id: '5F0C', alias: 'Backup', encryption: 'Encrypted' }] },
    fail: {
      time_machine_destinations: [
        { destination_id: '5F0C', alias: 'Backup', encryption: 'Encrypted' },
        { destination_id: '81D2', alias: 'Office NAS', encryption: 'NotEncrypted' },
      ],
    },
  },
  'macos-chrome-up-to-date': {
    pass: { apps: [chromeApp('/Applications/Google Chrome.app', '141.0.7390.55')] },
    fail: {
      apps: [
        chromeApp('/Applications/Google Chrome.app', '141.0.7390.55'),
        chromeApp('/Users/ana/Downloads/Google Chrome.app', '99.0.4844.84'),
      ],
    },
  },
  'macos-firefox-up-to-date': {
    pass: { apps: [firefoxApp('143.0.4')] },
    fail: { apps: [firefoxApp('99.0.1')] },
  },
  'macos-password-manager': {
    pass: { apps: [firefoxApp('143.0.4'), bitwardenApp()] },
    fail: { apps: [firefoxApp('143.0.4')] },
  },
  'windows-bitlocker': {
    pass: { logical_drives: fixedDrives, bitlocker_info: [bitlockerDrive('C:', 1), bitlockerDrive('', 0)] },
    fail: { logical_drives: fixedDrives, bitlocker_info: [bitlockerDrive('C:', 1), bitlockerDrive('D:', 0)] },
  },
  'windows-firewall': {
    pass: { registry: firewallProfiles('1', '1', '1') },
    fail: { registry: firewallProfiles('1', '1', '0') },
  },
  'windows-antivirus': {
    pass: { windows_security_products: [antivirus('Microsoft Defender Antivirus', 'On', 1)] },
    fail: { windows_security_products: [antivirus('Microsoft Defender Antivirus', 'On', 0)] },
  },
  'windows-security-center': {
    pass: {
      windows_security_center: [
        { firewall: 'Good', autoupdate: 'Good', antivirus: 'Good', user_account_control: 'Good' },
      ],
    },
    fail: {
      windows_security_center: [
        { firewall: 'Good', autoupdate: 'Poor', antivirus: 'Good', user_account_control: 'Good' },
      ],
    },
  },
  'windows-os-up-to-date': {
    pass: { os_version: [windows('26100', 6584)], registry: [registryValue(currentVersion, 'UBR', '6584')] },
    fail: { os_version: [windows('26100', 1742)], registry: [registryValue(currentVersion, 'UBR', '1742')] },
  },
  'windows-recent-update': {
    pass: {
      time: [{ unix_time: 1_760_000_000 }],
      windows_update_history: [windowsUpdate('Succeeded', 1_759_000_000), windowsUpdate('Failed', 1_759_900_000)],
    },
    fail: {
      time: [{ unix_time: 1_760_000_000 }],
      windows_update_history: [windowsUpdate('Succeeded', 1_750_000_000), windowsUpdate('Failed', 1_759_900_000)],
    },
  },
  'windows-screen-lock': {
    pass: {
      registry: [
        registryValue(systemPolicies, 'EnableLUA', '1'),
        registryValue(systemPolicies, 'InactivityTimeoutSecs', '600'),
      ],
    },
    fail: {
      registry: [
        registryValue(systemPolicies, 'EnableLUA', '1'),
        { key: 'HKEY_USERS', path: `HKEY_USERS\\${anaSid}`, name: anaSid, type: 'subkey', data: '' },
        registryValue(`HKEY_USERS\\${anaSid}\\Control Panel\\Desktop`, 'ScreenSaveActive', '1'),
      ],
    },
  },
  'windows-secure-boot': {
    pass: { secureboot: [{ secure_boot: 1, setup_mode: 0 }] },
    fail: { secureboot: [{ secure_boot: 0, setup_mode: 0 }] },
  },
  'windows-tpm': {
    pass: { tpm_info: [{ activated: 1, enabled: 1, owned: 1, spec_version: '2.0, 0, 1.38' }] },
    fail: { tpm_info: [{ activated: 1, enabled: 0, owned: 1, spec_version: '2.0, 0, 1.38' }] },
  },
  'windows-remote-desktop': {
    pass: { registry: [registryValue(terminalServer, 'fDenyTSConnections', '1')] },
    fail: { registry: [registryValue(terminalServer, 'fDenyTSConnections', '0')] },
  },
  'windows-guest-account': {
    pass: { security_profile_info: [{ enable_guest_account: 0 }] },
    fail: { security_profile_info: [{ enable_guest_account: 1 }] },
  },
  'windows-chrome-up-to-date': {
    pass: { programs: [chromeProgram('141.0.7390.55')] },
    fail: { programs: [chromeProgram('101.0.4951.67')] },
  },
  'windows-smb1': {
    pass: { windows_optional_features: [{ name: 'SMB1Protocol', state: 2, statename: 'Disabled' }] },
    fail: { windows_optional_features: [{ name: 'SMB1Protocol', state: 1, statename: 'Enabled' }] },
  },
  'linux-disk-encryption': {
    pass: {
      mounts: [
        { path: '/', device: '/dev/mapper/debian-root', device_alias: '/dev/dm-1', type: 'ext4' },
        { path: '/boot', device: '/dev/nvme0n1p2', device_alias: '/dev/nvme0n1p2', type: 'ext4' },
      ],
      disk_encryption: [
        { name: '/dev/dm-1', encrypted: 1, type: 'LUKS1' },
        { name: '/dev/nvme0n1p2', encrypted: 0, type: '' },
      ],
    },
    fail: {
      mounts: [
        { path: '/', device: '/dev/nvme0n1p2', device_alias: '/dev/nvme0n1p2', type: 'ext4' },
        { path: '/home', device: '/dev/mapper/home', device_alias: '/dev/dm-0', type: 'ext4' },
      ],
      disk_encryption: [
        { name: '/dev/nvme0n1p2', encrypted: 0, type: '' },
        { name: '/dev/dm-0', encrypted: 1, type: 'LUKS1' },
      ],
    },
  },
  'linux-firewall': {
    pass: { systemd_units: [runningJournal, unit('firewalld.service', 'active', 'running')] },
    fail: {
      systemd_units: [runningJournal],
      iptables: [{ filter_name: 'filter', chain: 'INPUT', policy: 'ACCEPT' }],
    },
  },
  'linux-unattended-upgrades': {
    pass: {
      os_version: [debian],
      deb_packages: [deb('base-files', '12.4+deb12u11'), deb('unattended-upgrades', '2.9.1+nmu3')],
      systemd_units: [runningJournal, unit('apt-daily-upgrade.timer', 'active', 'waiting')],
      augeas: [unattendedUpgrade('1')],
    },
    fail: {
      os_version: [debian],
      deb_packages: [deb('base-files', '12.4+deb12u11'), deb('unattended-upgrades', '2.9.1+nmu3')],
      systemd_units: [runningJournal, unit('apt-daily-upgrade.timer', 'active', 'waiting')],
      augeas: [unattendedUpgrade('0')],
    },
  },
  'linux-os-supported': {
    pass: { os_version: [debian] },
    fail: { os_version: [{ ...debian, version: '10 (buster)', major: 10 }] },
  },
  'linux-pending-reboot': {
    pass: { file: [{ path: '/etc/passwd' }, { path: '/var/lib/dpkg/status' }] },
    fail: {
      file: [
        { path: '/etc/passwd' },
        { path: '/var/lib/dpkg/status' },
        { path: '/var/run/reboot-required', mtime: 1_759_000_000 },
      ],
    },
  },
  'linux-secure-boot': {
    pass: { secureboot: [{ secure_boot: 1, setup_mode: 0 }] },
    fail: { secureboot: [{ secure_boot: 0, setup_mode: 0 }] },
  },
  'linux-mandatory-access-control': {
    pass: { apparmor_profiles: [{ path: '/usr/sbin/cupsd', name: '/usr/sbin/cupsd', mode: 'enforce' }] },
    fail: { apparmor_profiles: [{ path: '/usr/sbin/cupsd', name: '/usr/sbin/cupsd', mode: 'complain' }] },
  },
  'linux-kernel-hardening': {
    pass: { system_controls: [sysctl('kernel.randomize_va_space', '2'), sysctl('net.ipv4.tcp_syncookies', '1')] },
    fail: { system_controls: [sysctl('kernel.randomize_va_space', '0'), sysctl('net.ipv4.tcp_syncookies', '1')] },
  },
  'linux-required-service': {
    pass: { systemd_units: [runningJournal, unit('auditd.service', 'active', 'running')] },
    fail: { systemd_units: [runningJournal, unit('auditd.service', 'inactive', 'dead')] },
  },
  'linux-empty-passwords': {
    pass: { shadow: [shadow('root', 'locked'), shadow('ana', 'active')] },
    fail: { shadow: [shadow('root', 'locked'), shadow('ana', 'empty')] },
  },
  'linux-sudo-nopasswd': {
    pass: {
      sudoers: [
        { source: '/etc/sudoers', header: 'root', rule_details: 'ALL=(ALL:ALL) NOPASSWD: ALL' },
        { source: '/etc/sudoers', header: '%sudo', rule_details: 'ALL=(ALL:ALL) ALL' },
      ],
    },
    fail: {
      sudoers: [
        { source: '/etc/sudoers', header: '%sudo', rule_details: 'ALL=(ALL:ALL) ALL' },
        { source: '/etc/sudoers.d/ana', header: 'ana', rule_details: 'ALL=(ALL) NOPASSWD: ALL' },
      ],
    },
  },
  'linux-sshd-root-login': {
    pass: {
      systemd_units: [runningJournal, unit('ssh.service', 'active', 'running')],
      augeas: [permitRootLogin('/etc/ssh/sshd_config', 'no')],
    },
    fail: {
      systemd_units: [runningJournal, unit('ssh.service', 'active', 'running')],
      augeas: [permitRootLogin('/etc/ssh/sshd_config', 'yes')],
    },
  },
  'linux-exposed-services': {
    pass: { listening_ports: [listener(812, 22, '0.0.0.0'), listener(813, 5900, '127.0.0.1')] },
    fail: {
      listening_ports: [listener(812, 22, '0.0.0.0'), listener(814, 23, '0.0.0.0')],
      processes: [{ pid: 814, name: 'telnetd' }],
    },
  },
  'linux-chrome-up-to-date': {
    pass: { deb_packages: [deb('google-chrome-stable', '141.0.7390.54-1')] },
    fail: { deb_packages: [deb('google-chrome-stable', '101.0.4951.64-1')] },
  },
  'ssh-keys-encrypted': {
    pass: { users: [ana], user_ssh_keys: [sshKey(1000, '/home/ana/.ssh/id_ed25519', 1)] },
    fail: {
      users: [ana],
      user_ssh_keys: [sshKey(1000, '/home/ana/.ssh/id_ed25519', 1), sshKey(1000, '/home/ana/.ssh/id_rsa', 0)],
    },
  },
  'ssh-key-permissions': {
    pass: {
      users: [ana],
      user_ssh_keys: [sshKey(1000, '/home/ana/.ssh/id_ed25519', 1)],
      file: [{ path: '/home/ana/.ssh/id_ed25519', mode: '0600' }],
    },
    fail: {
      users: [ana],
      user_ssh_keys: [sshKey(1000, '/home/ana/.ssh/id_ed25519', 1)],
      file: [{ path: '/home/ana/.ssh/id_ed25519', mode: '0644' }],
    },
  },
  'onepassword-emergency-kit': {
    pass: {
      os_version: [{ platform: 'darwin' }],
      users: [macAna],
      file: [{ path: '/Users/ana/Downloads/notes.pdf', mtime: 1_759_000_000 }],
    },
    fail: {
      os_version: [{ platform: 'darwin' }],
      users: [macAna],
      file: [
        { path: '/Users/ana/Downloads/1Password Emergency Kit A3-XXXXXX-my.1password.com.pdf', mtime: 1_759_000_000 },
      ],
    },
  },
  'recovery-codes-in-files': {
    pass: {
      os_version: [{ platform: 'windows' }],
      users: [{ uid: 1001, username: 'ana', directory: 'C:\\Users\\ana' }],
      file: [{ path: 'C:\\Users\\ana\\Documents\\plan.txt', mtime: 1_759_000_000 }],
    },
    fail: {
      os_version: [{ platform: 'windows' }],
      users: [{ uid: 1001, username: 'ana', directory: 'C:\\Users\\ana' }],
      file: [{ path: 'C:\\Users\\ana\\Documents\\github-recovery-codes.txt', mtime: 1_759_000_000 }],
    },
  },
  'browser-extension-deny-list': {
    pass: { users: [ana], chrome_extensions: [extension('cjpalhdlnbpafiamejdnhcphjbkeiagm', 'uBlock Origin', '1')] },
    fail: {
      users: [ana],
      chrome_extensions: [extension('klbibkeccnjlkjkiokjodocebajanakg', 'The Great Suspender', '1')],
    },
  },
  'recent-restart': {
    pass: { uptime: [{ days: 1, hours: 1, total_seconds: 90_000 }] },
    fail: { uptime: [{ days: 90, hours: 0, total_seconds: 7_776_000 }] },
  },
  'osquery-up-to-date': {
    pass: { osquery_info: [{ version: '5.23.1' }] },
    fail: { osquery_info: [{ version: '5.2.0' }] },
  },
}

/** Every volume of a Mac with Apple silicon is encrypted; FileVault makes that wait for a password. */
function macVolume(name: string, fileVault: 'on' | 'off'): Row {
  return { name: `/dev/${name}`, encrypted: 1, type: 'APFS Encryption', filevault_status: fileVault }
}

function screenSaverProfile(delay: string): Row[] {
  const domain = 'com.apple.screensaver'
  return [
    { domain, name: 'askForPassword', value: '1', manual: 0 },
    { domain, name: 'askForPasswordDelay', value: delay, manual: 0 },
  ]
}

function chromeApp(path: string, version: string): Row {
  return { name: 'Google Chrome.app', path, bundle_identifier: 'com.google.Chrome', bundle_short_version: version }
}

function firefoxApp(version: string): Row {
  const path = '/Applications/Firefox.app'
  return { name: 'Firefox.app', path, bundle_identifier: 'org.mozilla.firefox', bundle_short_version: version }
}

function bitwardenApp(): Row {
  const path = '/Applications/Bitwarden.app'
  return { name: 'Bitwarden.app', path, bundle_identifier: 'com.bitwarden.desktop', bundle_short_version: '2025.9.0' }
}

function bitlockerDrive(letter: string, protectionStatus: number): Row {
  const isEncrypted = protectionStatus === 1
  return {
    drive_letter: letter,
    protection_status: protectionStatus,
    conversion_status: isEncrypted ? 1 : 0,
    percentage_encrypted: isEncrypted ? 100 : 0,
    encryption_method: isEncrypted ? 'XTS_AES_128' : 'None',
  }
}

function antivirus(name: string, state: string, signaturesUpToDate: number): Row {
  return { type: 'Antivirus', name, state, signatures_up_to_date: signaturesUpToDate }
}

function windows(build: string, revision: number): Row {
  return { name: 'Microsoft Windows 11 Pro', version: `10.0.${build}`, build, revision, platform: 'windows' }
}

function windowsUpdate(resultCode: string, date: number): Row {
  return {
    title: 'Cumulative Update for Windows 11 (KB5065426)',
    result_code: resultCode,
    operation: 'Installation',
    date,
  }
}

function chromeProgram(version: string): Row {
  const location = 'C:\\Program Files\\Google\\Chrome\\Application'
  return { name: 'Google Chrome', version, install_location: location, publisher: 'Google LLC' }
}

function sysctl(name: string, value: string): Row {
  return { name, current_value: value, subsystem: name.slice(0, name.indexOf('.')) }
}

function shadow(username: string, passwordStatus: string): Row {
  return { username, password_status: passwordStatus, hash_alg: passwordStatus === 'active' ? 'y' : '' }
}

function permitRootLogin(path: string, value: string): Row {
  return { node: `/files${path}/PermitRootLogin`, path, label: 'PermitRootLogin', value }
}

function unattendedUpgrade(value: string): Row {
  const path = '/etc/apt/apt.conf.d/20auto-upgrades'
  return { node: `/files${path}/APT[2]/Periodic/Unattended-Upgrade`, path, label: 'Unattended-Upgrade', value }
}

function listener(pid: number, port: number, address: string): Row {
  return { pid, port, protocol: 6, family: 2, address }
}

function sshKey(uid: number, path: string, encrypted: number): Row {
  return { uid, path, encrypted, key_type: path.endsWith('id_rsa') ? 'rsa' : 'ed25519' }
}

function extension(identifier: string, name: string, state: string): Row {
  return { uid: 1000, browser_type: 'chrome', profile: 'Default', identifier, name, version: '7.1.8', state }
}
