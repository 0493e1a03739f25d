import type { DeviceProfile } from './device-profile.ts'
import { platformMask } from './operating-systems.ts'

/** The version a simulated device reports: it must not be taken for a release of osquery. */
export const simulatedVersion = '0-simulated'

type Row = Record<string, string>

export function systemInfoOf(profile: DeviceProfile): Row {
  const isMac = profile.platform === 'darwin'
  return {
    hostname: profile.hostname,
    uuid: profile.uuid,
    cpu_type: profile.operatingSystem.arch === 'arm64' ? 'arm64e' : 'x86_64',
    cpu_subtype: '',
    cpu_brand: profile.hardware.cpu,
    cpu_physical_cores: '8',
    cpu_logical_cores: isMac ? '8' : '16',
    cpu_sockets: '1',
    cpu_microcode: '',
    physical_memory: String(profile.hardware.memoryGigabytes * 1024 ** 3),
    hardware_vendor: profile.hardware.vendor,
    hardware_model: profile.hardware.model,
    hardware_version: isMac ? '1.0' : '',
    hardware_serial: profile.serial,
    board_vendor: profile.hardware.vendor,
    board_model: profile.hardware.model,
    board_version: '',
    board_serial: isMac ? profile.serial : `B${profile.serial}`,
    computer_name: profile.computerName,
    local_hostname: profile.localHostname,
  }
}

export function osqueryInfoOf(profile: DeviceProfile, startedAtSeconds: number): Row {
  return {
    pid: '812',
    uuid: profile.uuid,
    instance_id: profile.instanceId,
    version: simulatedVersion,
    config_hash: '',
    config_valid: '0',
    extensions: 'inactive',
    build_platform: profile.platform,
    build_distro: 'simulated',
    start_time: String(startedAtSeconds),
    watcher: '810',
    platform_mask: platformMask[profile.platform],
  }
}

export function platformInfoOf(profile: DeviceProfile): Row {
  const isMac = profile.platform === 'darwin'
  return {
    vendor: profile.hardware.vendor,
    version: isMac ? '11881.140.96' : 'N3AET82W (1.47)',
    date: isMac ? '' : '03/12/2025',
    revision: '1.47',
    extra: '',
    firmware_type: isMac ? 'iboot' : 'uefi',
  }
}

/** The enrollment request of osquery's TLS plugin; `host_details` is the first row of four tables, all strings. */
export function enrollBody(profile: DeviceProfile, enrollSecret: string, startedAtSeconds: number): string {
  return JSON.stringify({
    enroll_secret: enrollSecret,
    host_identifier: profile.uuid,
    platform_type: platformMask[profile.platform],
    host_details: {
      os_version: profile.operatingSystem,
      osquery_info: osqueryInfoOf(profile, startedAtSeconds),
      system_info: systemInfoOf(profile),
      platform_info: platformInfoOf(profile),
    },
  })
}
