import type { Reader } from '../../base/db/transact.ts'
import type { PackageNodes } from './package-builder.ts'
import { listMacNodes } from './runtimes/mac-nodes.ts'
import { packagedNodes } from './runtimes/packaged-node.ts'

/** The Nodes of this server. */
export const packageNodes = (reader: Reader): PackageNodes => ({
  open: packagedNodes(reader),
  ofMacs: () => listMacNodes(reader),
})
