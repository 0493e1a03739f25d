import type { Figure } from '../figure.ts'
import { browserSignIns } from './browser-sign-ins.ts'
import { checkIn } from './check-in.ts'
import { coldStart } from './cold-start.ts'
import { endpoints } from './endpoints.ts'
import { fleet } from './fleet.ts'
import { hooks } from './hooks.ts'
import { idleRead } from './idle-read.ts'
import { listDevices } from './list-devices.ts'
import { poll } from './poll.ts'
import { proofs } from './proofs.ts'
import { push } from './push.ts'
import { recompute } from './recompute.ts'
import { reports } from './reports.ts'
import { restingFleet } from './resting-fleet.ts'
import { search } from './search.ts'
import { signInFlood } from './sign-in-flood.ts'
import { signInMemory } from './sign-in-memory.ts'
import { signIns } from './sign-ins.ts'
import { snapshots } from './snapshots.ts'
import { storm } from './storm.ts'
import { strangers } from './strangers.ts'

export const figures: readonly Figure[] = [
  listDevices,
  search,
  checkIn,
  idleRead,
  fleet,
  recompute,
  endpoints,
  snapshots,
  poll,
  push,
  hooks,
  strangers,
  reports,
  coldStart,
  storm,
  restingFleet,
  signIns,
  signInFlood,
  browserSignIns,
  proofs,
  signInMemory,
]
