import { type HardwareModel, modelsOf } from './hardware-models.ts'
import { type OperatingSystem, type Platform, platforms, releasesOf } from './operating-systems.ts'
import { familyNames, givenNames } from './person-names.ts'
import { choose, fractionOf, hashOf } from './seeded.ts'

/** Relative shares of the platforms; they need not add up to anything. */
export type PlatformWeights = Record<Platform, number>

export const usualWeights: PlatformWeights = { darwin: 50, windows: 35, linux: 15 }

export type DeviceProfile = {
  index: number
  platform: Platform
  /** Place of the operating system in `releasesOf[platform]`. */
  release: number
  operatingSystem: OperatingSystem
  hardware: HardwareModel
  ownerName: string
  username: string
  hostname: string
  localHostname: string
  computerName: string
  uuid: string
  instanceId: string
  serial: string
  macAddress: string
  ipAddress: string
}

/** One choice per purpose, so that adding a purpose changes no existing device. */
const purpose = {
  platform: 1,
  release: 2,
  model: 3,
  given: 4,
  family: 5,
  uuid: 6,
  instance: 10,
  serial: 14,
  mac: 16,
} as const

/** The device with that index: the same seed, index and weights always give the same one. */
export function deviceProfile(seed: number, index: number, weights: PlatformWeights): DeviceProfile {
  const hash = (what: number) => hashOf(seed, index, what)
  const platform = platformOf(fractionOf(seed, index, purpose.platform), weights)
  const releases = releasesOf[platform]
  const release = hash(purpose.release) % releases.length
  const hardware = choose(modelsOf[platform], hash(purpose.model))
  const given = choose(givenNames, hash(purpose.given))
  const family = choose(familyNames, hash(purpose.family))
  const name = hostnameOf(platform, given, hardware.title, index)
  const macTail = [index >>> 16, index >>> 8, index].map((byte) => hexOf(byte & 0xff, 2)).join(':')
  return {
    index,
    platform,
    release,
    operatingSystem: releases[release] ?? releases[0],
    hardware,
    ownerName: `${given} ${family}`,
    username: `${given}.${family}`.toLowerCase(),
    hostname: platform === 'darwin' ? `${name}.local` : name,
    localHostname: name,
    computerName: platform === 'darwin' ? `${given}’s ${hardware.title}` : name,
    uuid: uuidOf(hash, purpose.uuid),
    instanceId: uuidOf(hash, purpose.instance),
    serial: serialOf(platform, index, hash(purpose.serial)),
    macAddress: `02:${hexOf(hash(purpose.mac) & 0xff, 2)}:${hexOf(seed & 0xff, 2)}:${macTail}`,
    ipAddress: `10.${(index >>> 16) & 0xff}.${(index >>> 8) & 0xff}.${index & 0xff}`,
  }
}

function platformOf(fraction: number, weights: PlatformWeights): Platform {
  const total = platforms.reduce((sum, platform) => sum + weights[platform], 0)
  let left = fraction * total
  for (const platform of platforms) {
    left -= weights[platform]
    if (left < 0) return platform
  }
  return 'linux'
}

/** Windows limits a computer's name to 15 characters, and the index keeps every name apart. */
function hostnameOf(platform: Platform, given: string, title: string, index: number): string {
  const number = index.toString(36).padStart(4, '0')
  if (platform === 'windows') return `${given.slice(0, 7)}-${number}`.toUpperCase()
  return `${given}-${title.replaceAll(' ', '-')}-${number}`.toLowerCase()
}

/** The index inside makes serials unique within a seed; the rest looks as vendors' serials do. */
function serialOf(platform: Platform, index: number, hash: number): string {
  const tail = index.toString(36).toUpperCase().padStart(4, '0')
  const head = hash.toString(36).toUpperCase().padStart(7, 'X')
  return platform === 'darwin' ? `C${head.slice(0, 5)}${tail}` : `PF${head.slice(0, 4)}${tail}`
}

function uuidOf(hash: (what: number) => number, first: number): string {
  const hex = [0, 1, 2, 3].map((part) => hexOf(hash(first + part), 8)).join('')
  const variant = '89AB'[Number.parseInt(hex.slice(16, 17), 16) & 3] ?? '8'
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20)]
    .join('-')
    .toUpperCase()
}

function hexOf(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
