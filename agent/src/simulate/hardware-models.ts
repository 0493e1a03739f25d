import type { Platform } from './operating-systems.ts'

export type HardwareModel = {
  vendor: string
  model: string
  /** What a person calls it; also the second half of a computer's name. */
  title: string
  cpu: string
  memoryGigabytes: number
}

const machine = (
  vendor: string,
  model: string,
  title: string,
  cpu: string,
  memoryGigabytes: number,
): HardwareModel => ({ vendor, model, title, cpu, memoryGigabytes })

export const modelsOf: Record<Platform, readonly [HardwareModel, ...HardwareModel[]]> = {
  darwin: [
    machine('Apple Inc.', 'Mac15,12', 'MacBook Air', 'Apple M3', 16),
    machine('Apple Inc.', 'Mac16,1', 'MacBook Pro', 'Apple M4', 24),
    machine('Apple Inc.', 'Mac15,6', 'MacBook Pro', 'Apple M3 Pro', 36),
    machine('Apple Inc.', 'MacBookPro18,3', 'MacBook Pro', 'Apple M1 Pro', 16),
    machine('Apple Inc.', 'Mac16,10', 'Mac mini', 'Apple M4', 16),
  ],
  windows: [
    machine('LENOVO', '21CBCTO1WW', 'ThinkPad X1', '12th Gen Intel(R) Core(TM) i7-1260P', 16),
    machine('Dell Inc.', 'Latitude 7440', 'Latitude', '13th Gen Intel(R) Core(TM) i7-1365U', 16),
    machine('HP', 'HP EliteBook 840 14 inch G10 Notebook PC', 'EliteBook', '13th Gen Intel(R) Core(TM) i5-1345U', 16),
    machine('Microsoft Corporation', 'Surface Laptop 6', 'Surface', 'Intel(R) Core(TM) Ultra 7 165H', 32),
  ],
  linux: [
    machine('LENOVO', '21HMCTO1WW', 'ThinkPad P1', '13th Gen Intel(R) Core(TM) i7-13700H', 32),
    machine('Dell Inc.', 'XPS 13 9340', 'XPS', 'Intel(R) Core(TM) Ultra 7 155H', 32),
    machine('Framework', 'Laptop 13 (AMD Ryzen 7040Series)', 'Framework', 'AMD Ryzen 7 7840U', 64),
    machine('System76', 'lemp13', 'Lemur', 'Intel(R) Core(TM) Ultra 7 155U', 40),
  ],
}
