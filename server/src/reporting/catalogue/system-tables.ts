import { columnList, hourly, type InventoryTable } from '../reporting-table.ts'
import { toldNumber, toldText } from './told-values.ts'

const category = 'System'

const unixOsVersion =
  'SELECT name, version, major, minor, patch, build, platform, codename, arch, (SELECT k.version FROM kernel_info k) AS kernel_version FROM os_version'

const osVersion: InventoryTable = {
  kind: 'inventory',
  name: 'device_os_version',
  category,
  description:
    'The operating system and its version. Group by platform, major and build: on Windows name, codename and arch are in the language of the device.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      name: 'Name of the operating system; on Windows in the language of the device.',
      version: 'Its version as it names it.',
      major: 'First number of the version.',
      minor: 'Second number of the version.',
      patch: 'Third number of the version; blank on Windows, and for versions of two numbers.',
      build: 'Build, on macOS and Windows, such as 25D125 or 26100.',
      platform: 'The platform as osquery names it, such as darwin, windows or ubuntu.',
      codename: 'Code name of the release; on Windows the name once more.',
      arch: 'Architecture; on Windows in the language of the device, such as 64-bit.',
      kernel_version: 'Version of the kernel, on macOS and Linux.',
    },
    ['major', 'minor', 'patch'],
  ),
  queries: {
    darwin: unixOsVersion,
    linux: unixOsVersion,
    windows: `SELECT name, version, major, minor, patch, build, platform, codename, arch, '' AS kernel_version FROM os_version`,
  },
}

const hardwareTexts = ['hardware_vendor', 'hardware_model', 'hardware_version', 'hardware_serial'].map(toldText)
const hardwareNumbers = ['cpu_physical_cores', 'cpu_logical_cores', 'physical_memory'].map(toldNumber)
const systemInfoQuery = `SELECT hostname, computer_name, uuid, ${hardwareTexts.join(', ')}, cpu_brand, cpu_type, ${hardwareNumbers.join(', ')} FROM system_info`

const systemInfo: InventoryTable = {
  kind: 'inventory',
  name: 'device_system_info',
  category,
  description: 'Names, hardware model, processor and memory.',
  aboutPeople: 'The name of a computer often contains the name of its owner.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      hostname: 'Name of the computer in the network.',
      computer_name: 'Name of the computer as people see it.',
      uuid: 'Identifier of the hardware.',
      hardware_vendor: 'Maker.',
      hardware_model: 'Model.',
      hardware_version: 'Version of the model; blank where the maker gives none.',
      hardware_serial: 'Serial number.',
      cpu_brand: 'Name of the processor.',
      cpu_type: 'Kind of processor.',
      cpu_physical_cores: 'Cores of the processor.',
      cpu_logical_cores: 'Cores as programs see them.',
      physical_memory: 'Memory in bytes.',
    },
    ['cpu_physical_cores', 'cpu_logical_cores', 'physical_memory'],
  ),
  queries: { darwin: systemInfoQuery, linux: systemInfoQuery, windows: systemInfoQuery },
}

const agentQuery =
  'SELECT uuid, instance_id, version, build_platform, build_distro, config_valid, extensions, start_time FROM osquery_info'

const osqueryInfo: InventoryTable = {
  kind: 'inventory',
  name: 'device_osquery_info',
  category,
  description: 'The agent itself.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      uuid: 'Identifier of the hardware.',
      instance_id: 'Identifier of this installation of the agent.',
      version: 'Version of the agent.',
      build_platform: 'Platform that it was built for.',
      build_distro: 'Distribution that it was built for.',
      config_valid: '1 when it has a configuration.',
      extensions: 'State of its extensions.',
      start_time: 'When it was started, in seconds since 1970.',
    },
    ['config_valid', 'start_time'],
  ),
  queries: { darwin: agentQuery, linux: agentQuery, windows: agentQuery },
}

const uptime: InventoryTable = {
  kind: 'inventory',
  name: 'device_uptime',
  category,
  description: 'For how many days the device has been running.',
  intervalSeconds: hourly,
  columns: columnList({ days: 'Whole days since it was started.' }, ['days']),
  queries: {
    darwin: 'SELECT days FROM uptime',
    linux: 'SELECT days FROM uptime',
    windows: 'SELECT days FROM uptime',
  },
}

const startupQuery = 'SELECT name, path, type, source, status, username FROM startup_items'

const startupItems: InventoryTable = {
  kind: 'inventory',
  name: 'device_startup_items',
  category,
  description: 'What starts with the device or when someone signs in; on Linux, the services of systemd.',
  aboutPeople: 'Names the account that an item belongs to.',
  intervalSeconds: hourly,
  columns: columnList({
    name: 'Name of the item.',
    path: 'Program, or the file that describes the item.',
    type: 'Kind of item.',
    source: 'Where it is set up.',
    status: 'Whether it is on.',
    username: 'Account that it belongs to.',
  }),
  queries: {
    darwin: startupQuery,
    linux: `SELECT id AS name, fragment_path AS path, 'service' AS type, 'systemd' AS source, unit_file_state AS status, user AS username FROM systemd_units WHERE id LIKE '%.service' AND unit_file_state <> ''`,
    windows: startupQuery,
  },
}

const crontabQuery = `SELECT '' AS name, command, CASE WHEN event <> '' THEN '@' || event ELSE minute || ' ' || hour || ' ' || day_of_month || ' ' || month || ' ' || day_of_week END AS schedule, path, 1 AS enabled FROM crontab`

const scheduledTasks: InventoryTable = {
  kind: 'inventory',
  name: 'device_scheduled_tasks',
  category,
  description: 'Scheduled tasks of Windows, and the lines of crontabs.',
  aboutPeople: 'Contains the commands as they are written, and the paths of personal crontabs.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      name: 'Name of the task, on Windows.',
      command: 'What is run.',
      schedule: 'When, as the crontab says it.',
      path: 'File or folder that holds the task.',
      enabled: '1 when it is on.',
    },
    ['enabled'],
  ),
  queries: {
    darwin: crontabQuery,
    linux: crontabQuery,
    windows: `SELECT name, action AS command, '' AS schedule, path, enabled FROM scheduled_tasks`,
  },
}

const kernelModules: InventoryTable = {
  kind: 'inventory',
  name: 'device_kernel_modules',
  category,
  description: 'Kernel modules, kernel and system extensions, and drivers; those of Apple are left out.',
  intervalSeconds: hourly,
  columns: columnList({
    name: 'Name of the module, extension or driver.',
    version: 'Its version.',
    kind: 'kernel module, kernel extension, system extension or driver.',
    status: 'Its state; of drivers signed or not signed, blank where Windows does not tell.',
    path: 'File that it comes from.',
  }),
  queries: {
    darwin: `SELECT name, version, 'kernel extension' AS kind, 'loaded' AS status, path FROM kernel_extensions WHERE name NOT LIKE 'com.apple.%' AND name <> '__kernel__'
UNION SELECT identifier, version, 'system extension', state, bundle_path FROM system_extensions`,
    linux: `SELECT name, '' AS version, 'kernel module' AS kind, status, '' AS path FROM kernel_modules`,
    windows: `SELECT DISTINCT service AS name, version, 'driver' AS kind, CASE signed WHEN 1 THEN 'signed' WHEN 0 THEN 'not signed' ELSE '' END AS status, image AS path FROM drivers`,
  },
}

export const systemTables = [osVersion, systemInfo, osqueryInfo, uptime, startupItems, scheduledTasks, kernelModules]
