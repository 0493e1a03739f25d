import { newCause, type RequestSource } from '../../src/base/change-context.ts'

/** Of a request from an address, with a cause of its own. */
export const sourceAt = (ipAddress: string): RequestSource => ({ ...newCause(), ipAddress })
