import type { DeviceProfile } from './device-profile.ts'
import { osqueryInfoOf, platformInfoOf, simulatedVersion, systemInfoOf } from './enroll-body.ts'
import type { TableRow, TableSet } from './run-sql.ts'
import { ownerUid, softwareTables } from './software-tables.ts'

/**
 * What a device of that kind answers to any query that is not a check: a few plausible rows per common table.
 * The clock stands still at the start of the run, as answers are prepared once.
 */
export function genericTables(profile: DeviceProfile, startedAtSeconds: number): TableSet {
  return {
    ...hostTables(profile, startedAtSeconds),
    ...clockTables(startedAtSeconds),
    ...peopleTables(profile),
    ...networkTables(profile),
    ...softwareTables(profile),
  }
}

/** osquery types these columns as integers, and SQL may compare them with numbers. */
function withNumbers(row: Record<string, string>, columns: string[]): TableRow {
  const numbers = columns.filter((column) => column in row).map((column) => [column, Number(row[column])])
  return { ...row, ...Object.fromEntries(numbers) }
}

function hostTables(profile: DeviceProfile, startedAtSeconds: number): TableSet {
  const systemNumbers = ['cpu_physical_cores', 'cpu_logical_cores', 'cpu_sockets', 'physical_memory']
  return {
    os_version: [withNumbers(profile.operatingSystem, ['major', 'minor', 'patch', 'revision'])],
    system_info: [withNumbers(systemInfoOf(profile), systemNumbers)],
    osquery_info: [withNumbers(osqueryInfoOf(profile, startedAtSeconds), ['pid', 'start_time', 'watcher'])],
    platform_info: [platformInfoOf(profile)],
    kernel_info: [{ version: profile.platform === 'darwin' ? '25.0.0' : '6.8.0-85-generic', arguments: '', path: '' }],
    osquery_flags: [
      { name: 'distributed_interval', type: 'uint64', default_value: '60', value: '60', shell_only: 0 },
      { name: 'logger_tls_period', type: 'uint64', default_value: '4', value: '60', shell_only: 0 },
      { name: 'config_refresh', type: 'uint64', default_value: '0', value: '300', shell_only: 0 },
    ],
    secureboot: [secureBootOf(profile)],
    cpu_info: [{ device_id: 'CPU0', model: profile.hardware.cpu, number_of_cores: 8, logical_processors: 16 }],
    tpm_info: [{ activated: 1, enabled: 1, owned: 1, spec_version: '2.0', manufacturer_name: 'INTC' }],
    battery: [{ manufacturer: 'SMP', cycle_count: 118, health: 'Good', state: 'AC Power', percent_remaining: 93 }],
  }
}

function clockTables(startedAtSeconds: number): TableSet {
  const now = new Date(startedAtSeconds * 1000)
  const iso = `${now.toISOString().slice(0, 19)}Z`
  return {
    time: [
      {
        weekday: 'Tuesday',
        year: now.getUTCFullYear(),
        month: now.getUTCMonth() + 1,
        day: now.getUTCDate(),
        hour: now.getUTCHours(),
        minutes: now.getUTCMinutes(),
        seconds: now.getUTCSeconds(),
        timezone: 'UTC',
        local_timezone: 'UTC',
        unix_time: startedAtSeconds,
        timestamp: iso,
        datetime: iso,
        iso_8601: iso,
      },
    ],
    uptime: [{ days: 3, hours: 4, minutes: 12, seconds: 7, total_seconds: 274_327 }],
  }
}

/** What osquery's implementation for that hardware fills in: the columns of the others stay empty. */
function secureBootOf({ platform, operatingSystem }: DeviceProfile): TableRow {
  if (platform !== 'darwin') return { secure_boot: 1, setup_mode: 0 }
  if (operatingSystem.arch === 'x86_64') return { secure_boot: 1, secure_mode: 1 }
  return { secure_boot: 1, description: 'Full Security', kernel_extensions: 0, mdm_operations: 0 }
}

const places = {
  darwin: { home: '/Users/', shell: '/bin/zsh', root: 'root', rootUid: 0, gid: 20, group: 'staff' },
  linux: { home: '/home/', shell: '/bin/bash', root: 'root', rootUid: 0, gid: 1000, group: 'people' },
  windows: {
    ...{ home: 'C:\\Users\\', shell: 'C:\\Windows\\system32\\cmd.exe', root: 'SYSTEM', rootUid: 18 },
    ...{ gid: 544, group: 'Administrators' },
  },
}

function peopleTables(profile: DeviceProfile): TableSet {
  const { home, shell, root, rootUid, gid, group } = places[profile.platform]
  const uid = ownerUid[profile.platform]
  const isWindows = profile.platform === 'windows'
  const directory = isWindows ? '%systemroot%\\system32\\config\\systemprofile' : '/root'
  // The same on every device: a security identifier has none of the marks by which answers become a device's own.
  const sid = `S-1-5-21-1-2-3-${uid}`
  return {
    users: [
      { uid: rootUid, gid: rootUid, username: root, description: 'System', directory, shell, type: 'special' },
      {
        ...{ uid, gid, username: profile.username, description: profile.ownerName, shell, type: 'local' },
        directory: home + profile.username,
        uuid: isWindows ? sid : profile.instanceId,
      },
    ],
    groups: [
      { gid: rootUid, gid_signed: rootUid, groupname: root },
      { gid, gid_signed: gid, groupname: group },
    ],
    user_groups: [{ uid, gid }],
    logged_in_users: [
      {
        ...{ type: isWindows ? 'active' : 'user', user: profile.username, tty: 'console', host: '' },
        ...{ time: 1_760_000_000, pid: isWindows ? -1 : 501 },
      },
    ],
  }
}

function networkTables(profile: DeviceProfile): TableSet {
  const socket = { pid: 412, protocol: 17, family: 2 }
  const card = profile.platform === 'darwin' ? 'en0' : profile.platform === 'windows' ? '12' : 'wlp0s20f3'
  return {
    interface_addresses: [
      { interface: 'lo0', address: '127.0.0.1', mask: '255.0.0.0', type: 'unknown' },
      { interface: card, address: profile.ipAddress, mask: '255.0.0.0', broadcast: '10.255.255.255', type: 'dhcp' },
    ],
    interface_details: [
      { interface: card, mac: profile.macAddress, type: 6, mtu: 1500, ibytes: 812_733_214, obytes: 96_231_002 },
    ],
    routes: [
      {
        destination: '0.0.0.0',
        netmask: 0,
        gateway: '10.0.0.1',
        source: profile.ipAddress,
        interface: card,
        metric: 0,
      },
    ],
    listening_ports: [{ ...socket, port: 5353, address: '0.0.0.0' }],
    process_open_sockets: [{ ...socket, local_port: 5353, remote_port: 0, local_address: '0.0.0.0' }],
    processes: [
      { pid: 1, name: profile.platform === 'darwin' ? 'launchd' : 'systemd', state: 'S', uid: 0, parent: 0 },
      { pid: 412, name: 'mDNSResponder', state: 'S', uid: 0, parent: 1 },
      { pid: 812, name: 'osqueryd', cmdline: `osqueryd (${simulatedVersion})`, state: 'R', uid: 0, parent: 810 },
    ],
    etc_hosts: [{ address: '127.0.0.1', hostnames: 'localhost' }],
  }
}
