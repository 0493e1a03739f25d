import { tablesElsewhere } from '../elsewhere/tables-elsewhere.ts'
import type { Table } from '../tables/table.ts'
import { apparmorProfiles, etcHosts, secureboot, selinuxSettings } from './access-control.ts'
import { groups, userGroups, users } from './accounts.ts'
import { osqueryFlags, osqueryInfo, osqueryRegistry, osquerySchedule } from './agent-itself.ts'
import { augeas } from './augeas.ts'
import { blockDevices, diskEncryption } from './block-devices.ts'
import { certificates } from './certificates.ts'
import { chromeExtensions } from './chrome-extensions.ts'
import { time, uptime } from './clock.ts'
import { crontab } from './crontab.ts'
import { dockerContainers, dockerImages, dockerVersion } from './docker.ts'
import { file, hash } from './files.ts'
import { firefoxAddons } from './firefox-addons.ts'
import { iptables } from './iptables.ts'
import { kernelInfo, kernelModules, systemControls } from './kernel.ts'
import { npmPackages, pythonPackages } from './language-packages.ts'
import { loadAverage, memoryInfo } from './load.ts'
import { loggedInUsers } from './logged-in-users.ts'
import { platformInfo, systemInfo } from './machine.ts'
import { mounts } from './mounts.ts'
import { arpCache, dnsResolvers, interfaceAddresses, interfaceDetails, routes } from './network.ts'
import { osVersion } from './os-version.ts'
import { aptSources, debPackages, rpmPackages } from './packages.ts'
import { processes } from './processes.ts'
import { shadow } from './shadow.ts'
import { listeningPorts, processOpenSockets } from './sockets.ts'
import { authorizedKeys, sshConfigs } from './ssh-files.ts'
import { userSshKeys } from './ssh-keys.ts'
import { sudoers } from './sudoers.ts'
import { systemdUnits } from './systemd-units.ts'
import { usbDevices } from './usb-devices.ts'

const collected: Table[] = [
  apparmorProfiles,
  aptSources,
  arpCache,
  augeas,
  authorizedKeys,
  blockDevices,
  certificates,
  chromeExtensions,
  crontab,
  debPackages,
  diskEncryption,
  dnsResolvers,
  dockerContainers,
  dockerImages,
  dockerVersion,
  etcHosts,
  file,
  firefoxAddons,
  groups,
  hash,
  interfaceAddresses,
  interfaceDetails,
  iptables,
  kernelInfo,
  kernelModules,
  listeningPorts,
  loadAverage,
  loggedInUsers,
  memoryInfo,
  mounts,
  npmPackages,
  osqueryFlags,
  osqueryInfo,
  osquerySchedule,
  osVersion,
  platformInfo,
  processes,
  processOpenSockets,
  pythonPackages,
  routes,
  rpmPackages,
  secureboot,
  selinuxSettings,
  shadow,
  sshConfigs,
  sudoers,
  systemControls,
  systemdUnits,
  systemInfo,
  time,
  uptime,
  usbDevices,
  userGroups,
  users,
  userSshKeys,
]

/** Every table of this agent on Linux: the real ones, and those of other platforms so that their SQL compiles. */
export const linuxTables: Table[] = [
  ...collected,
  ...tablesElsewhere,
  osqueryRegistry(
    collected.map((table) => table.name),
    tablesElsewhere.map((table) => table.name),
  ),
]
