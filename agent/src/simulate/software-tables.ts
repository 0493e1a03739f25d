import type { DeviceProfile } from './device-profile.ts'
import type { TableRow, TableSet } from './run-sql.ts'

/** Disks, installed software and browser extensions. */
export function softwareTables(profile: DeviceProfile): TableSet {
  return { ...diskTables(profile), ...packageTables(), ...appTables(), ...extensionTables(profile) }
}

function diskTables(profile: DeviceProfile): TableSet {
  const device = profile.platform === 'darwin' ? '/dev/disk3s1' : '/dev/mapper/root'
  const alias = profile.platform === 'darwin' ? device : '/dev/dm-0'
  return {
    mounts: [
      {
        device,
        device_alias: alias,
        path: '/',
        type: profile.platform === 'darwin' ? 'apfs' : 'ext4',
        blocks_size: 4096,
        blocks: 122_061_322,
        blocks_free: 61_220_130,
        blocks_available: 61_220_130,
      },
    ],
    disk_encryption: [
      {
        ...{ name: alias, encrypted: 1, encryption_status: 'encrypted', filevault_status: 'on' },
        type: profile.platform === 'darwin' ? 'APFS Encryption' : 'AES-XTS',
      },
    ],
    block_devices: [{ name: alias, vendor: '', model: 'NVMe 1TB', size: 2_000_409_264, block_size: 512, type: 'nvme' }],
    logical_drives: [
      {
        device_id: 'C:',
        type: 'Unknown',
        description: 'Local Fixed Disk',
        boot_partition: 1,
        free_space: 250_757_652_480,
        size: 499_963_174_912,
        file_system: 'NTFS',
      },
    ],
    bitlocker_info: [
      {
        device_id: '\\\\?\\Volume{0}\\',
        drive_letter: 'C:',
        conversion_status: 1,
        protection_status: 1,
        encryption_method: 'XTS_AES_128',
        percentage_encrypted: 100,
        lock_status: 0,
      },
    ],
  }
}

const app = (name: string, identifier: string, version: string): TableRow => ({
  name: `${name}.app`,
  path: `/Applications/${name}.app`,
  bundle_identifier: identifier,
  bundle_name: name,
  bundle_short_version: version,
  bundle_version: version,
  display_name: name,
})

const program = (name: string, version: string, publisher: string): TableRow => ({
  name,
  version,
  publisher,
  install_location: `C:\\Program Files\\${name}\\`,
  install_date: '20250904',
})

function appTables(): TableSet {
  return {
    apps: [
      app('Google Chrome', 'com.google.Chrome', '141.0.7390.55'),
      app('Firefox', 'org.mozilla.firefox', '143.0.4'),
      app('Slack', 'com.tinyspeck.slackmacgap', '4.46.99'),
      app('1Password', 'com.1password.1password', '8.11.12'),
      app('zoom.us', 'us.zoom.xos', '6.6.1'),
    ],
    programs: [
      program('Google Chrome', '141.0.7390.55', 'Google LLC'),
      program('Mozilla Firefox (x64 en-US)', '143.0.4', 'Mozilla'),
      program('Slack', '4.46.99', 'Slack Technologies Inc.'),
      program('7-Zip 25.01 (x64)', '25.01', 'Igor Pavlov'),
    ],
    patches: [{ csname: '', hotfix_id: 'KB5065426', description: 'Security Update', installed_on: '9/10/2025' }],
    services: [{ name: 'WinDefend', display_name: 'Microsoft Defender Antivirus Service', status: 'RUNNING' }],
    homebrew_packages: [{ name: 'jq', path: '/opt/homebrew/Cellar/jq', version: '1.8.1', type: 'formula' }],
  }
}

const debian = (name: string, version: string): TableRow => ({
  name,
  version,
  arch: 'amd64',
  status: 'install ok installed',
  size: '1024',
})

const redHat = (name: string, version: string, release: string): TableRow => ({
  name,
  version,
  release,
  arch: 'x86_64',
})

function packageTables(): TableSet {
  return {
    deb_packages: [
      debian('bash', '5.2.21-2ubuntu4'),
      debian('openssl', '3.0.13-0ubuntu3.6'),
      debian('openssh-client', '1:9.6p1-3ubuntu13.14'),
      debian('google-chrome-stable', '141.0.7390.54-1'),
      debian('unattended-upgrades', '2.9.1+nmu4ubuntu1'),
    ],
    rpm_packages: [redHat('bash', '5.2.37', '1.fc42'), redHat('openssl', '3.2.6', '2.fc42')],
    systemd_units: [
      { id: 'ssh.service', load_state: 'loaded', active_state: 'inactive', sub_state: 'dead' },
      { id: 'apt-daily-upgrade.timer', load_state: 'loaded', active_state: 'active', sub_state: 'waiting' },
    ],
    python_packages: [{ name: 'pip', version: '25.2', summary: 'The PyPA recommended tool for installing packages.' }],
  }
}

/** The account of the person that uses the device, by the platform. */
export const ownerUid = { darwin: 501, linux: 1000, windows: 1001 } as const

function extensionTables({ platform }: DeviceProfile): TableSet {
  const uid = ownerUid[platform]
  return {
    chrome_extensions: [
      {
        browser_type: 'chrome',
        uid,
        name: 'uBlock Origin Lite',
        profile: 'Default',
        identifier: 'ddkjiahejlhfcafbddmgiahcphecmpfh',
        version: '2025.921.1922',
        // Chrome does not tell from 136 on.
        state: '',
        from_webstore: 'true',
      },
    ],
    firefox_addons: [
      { uid, name: 'uBlock Origin', identifier: 'uBlock0@raymondhill.net', version: '1.66.4', active: 1, disabled: 0 },
    ],
    safari_extensions: [
      {
        ...{ uid, name: '1Password for Safari', identifier: 'com.1password.safari.extension', version: '8.11.12' },
        path: '/Applications/1Password for Safari.app//Contents/PlugIns/%.appex/Contents/Info.plist',
      },
    ],
  }
}
