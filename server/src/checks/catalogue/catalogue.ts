import { anyPlatformChecks } from './any-platform.ts'
import type { CatalogueCheck } from './catalogue-check.ts'
import { linuxAccessChecks } from './linux-access.ts'
import { linuxSystemChecks } from './linux-system.ts'
import { macosAppChecks } from './macos-apps.ts'
import { macosSystemChecks } from './macos-system.ts'
import { windowsChecks } from './windows.ts'

/** Every check that comes with Muster. The order is that of the first seeding; new checks are added at the end. */
export const catalogue: readonly CatalogueCheck[] = [
  ...macosSystemChecks,
  ...macosAppChecks,
  ...windowsChecks,
  ...linuxSystemChecks,
  ...linuxAccessChecks,
  ...anyPlatformChecks,
]
