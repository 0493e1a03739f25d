import type { FieldError } from '@muster/contract/errors.ts'
import { ServiceError } from '../../src/base/errors.ts'
import { errorBodyOf } from '../../src/http/errors.ts'

/** The whole body of a 422 with these faults; what its message says is tested with the errors themselves. */
export const invalidBody = (...errors: FieldError[]) => errorBodyOf(new ServiceError('invalid', { errors }))
