import type { CompiledEngine } from './compiled-engine.ts'

/** What the main thread and the engine's thread say to each other. `id` pairs an answer with its request. */
export type EngineSettings = {
  dataDir?: string
  snapshot?: Blob
  prepared?: string
  minimumFreeBytes: number
  transactionTimeLimitMs: number
  /** What it may take as heap; absent, its whole address space of 2 GB. */
  maxHeapBytes?: number
}

/** What its thread is given at the start. */
export type EngineData = EngineSettings & { compiled: CompiledEngine }

export type ToEngine =
  /** One statement, or several without parameters, encoded; `client` is who holds a transaction it leaves open. */
  | { kind: 'statement'; id: number; client: number; bytes: Uint8Array }
  /** The client is done; a transaction it left open is rolled back. */
  | { kind: 'release'; client: number }
  | { kind: 'snapshot'; id: number }
  /** Between two statements and outside any transaction. */
  | { kind: 'copy'; id: number }
  | { kind: 'close'; id: number }

export type FromEngine =
  /** Said at first, and whenever it has changed. */
  | { kind: 'heap'; bytes: number }
  | { kind: 'ready' }
  | { kind: 'broken'; message: string }
  | { kind: 'answer'; id: number; bytes: Uint8Array; status: TransactionStatus; lowOnSpace?: string }
  | { kind: 'refusal'; id: number; message: string; sqlState: string }
  | { kind: 'snapshot'; id: number; blob: Blob }
  | { kind: 'copied'; id: number; folder: string; tookMs: number }
  | { kind: 'closed'; id: number }

/** ReadyForQuery's status: idle, in a transaction, in a failed transaction. */
export type TransactionStatus = 'I' | 'T' | 'E'
