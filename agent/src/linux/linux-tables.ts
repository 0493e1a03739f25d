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
import {
  dockerContainerEnvs,
  dockerContainerLabels,
  dockerContainerMounts,
  dockerContainerNetworks,
  dockerContainerPorts,
} from './docker-containers.ts'
import { file, hash } from './files.ts'
import { firefoxAddons } from './firefox-addons.ts'
import { iptables } from './iptables.ts'
import { kernelInfo, kernelModules, systemControls } from './kernel.ts'
import { cpuTime, interfaceIpv6, sharedMemory } from './kernel-counters.ts'
import { knownHosts } from './known-hosts.ts'
import { npmPackages, pythonPackages } from './language-packages.ts'
import { loadAverage, memoryInfo } from './load.ts'
import { last, loggedInUsers } from './logged-in-users.ts'
import { platformInfo, systemInfo } from './machine.ts'
import { magic, yara } from './magic.ts'
import { mounts } from './mounts.ts'
import { arpCache, dnsResolvers, interfaceAddresses, interfaceDetails, routes } from './network.ts'
import { processMemoryMap, processOpenFiles } from './open-files.ts'
import { osVersion } from './os-version.ts'
import { aptSources, debPackages, rpmPackages } from './packages.ts'
import { pciDevices } from './pci-devices.ts'
import { processes } from './processes.ts'
import { shadow } from './shadow.ts'
import { listeningPorts, processOpenSockets } from './sockets.ts'
import { authorizedKeys, sshConfigs } from './ssh-files.ts'
import { userSshKeys } from './ssh-keys.ts'
import { startupItems } from './startup-items.ts'
import { sudoers } from './sudoers.ts'
import { suidBin } from './suid-bin.ts'
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
  cpuTime,
  crontab,
  debPackages,
  diskEncryption,
  dnsResolvers,
  dockerContainerEnvs,
  dockerContainerLabels,
  dockerContainerMounts,
  dockerContainerNetworks,
  dockerContainerPorts,
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
  interfaceIpv6,
  iptables,
  kernelInfo,
  kernelModules,
  knownHosts,
  last,
  listeningPorts,
  loadAverage,
  loggedInUsers,
  magic,
  memoryInfo,
  mounts,
  npmPackages,
  osqueryFlags,
  osqueryInfo,
  osquerySchedule,
  osVersion,
  pciDevices,
  platformInfo,
  processes,
  processMemoryMap,
  processOpenFiles,
  processOpenSockets,
  pythonPackages,
  routes,
  rpmPackages,
  secureboot,
  selinuxSettings,
  shadow,
  sharedMemory,
  sshConfigs,
  startupItems,
  sudoers,
  suidBin,
  systemControls,
  systemdUnits,
  systemInfo,
  time,
  uptime,
  usbDevices,
  userGroups,
  users,
  userSshKeys,
  yara,
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
