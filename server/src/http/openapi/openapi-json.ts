import type { ApiVersion } from '@muster/contract/versions.ts'
import type { Operation } from '../operations.ts'
import { buildDocument } from './build-document.ts'

/** The text of the committed document: readable, and the same for every installation. */
export const committedDocument = (operations: readonly Operation[], version: ApiVersion): string =>
  `${JSON.stringify(buildDocument(operations, version), null, 2)}\n`
