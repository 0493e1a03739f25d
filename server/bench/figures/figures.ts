import type { Figure } from '../figure.ts'
import { checkIn } from './check-in.ts'
import { idleRead } from './idle-read.ts'
import { listDevices } from './list-devices.ts'

export const figures: readonly Figure[] = [listDevices, checkIn, idleRead]
