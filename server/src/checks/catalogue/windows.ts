import type { CatalogueCheck } from './catalogue-check.ts'
import { firewall, guestAccount, remoteDesktop, screenLock, smb1 } from './windows-access.ts'
import { antivirus, bitlocker, secureBoot, securityCenter, tpm } from './windows-protection.ts'
import { chromeUpToDate, osUpToDate, recentUpdate } from './windows-updates.ts'

export const windowsChecks: readonly CatalogueCheck[] = [
  bitlocker,
  firewall,
  antivirus,
  securityCenter,
  osUpToDate,
  recentUpdate,
  screenLock,
  secureBoot,
  tpm,
  remoteDesktop,
  guestAccount,
  chromeUpToDate,
  smb1,
]
