/**
 * Compares two versions: -1, 0 or 1. `flavor` names the rules: 'DPKG' (Debian policy §5.6.12), 'RHEL' and 'ARCH'
 * (rpmvercmp, with epoch and release), or '' for runs of digits compared as numbers and of letters as text.
 */
export function versionCompare(left: string, right: string, flavor: string): number {
  switch (flavor.toUpperCase()) {
    case 'DPKG':
      return comparePackages(left, right, compareDebian)
    case 'RHEL':
    case 'ARCH':
      return comparePackages(left, right, compareRuns)
    default:
      return compareRuns(left, right)
  }
}

type PartCompare = (left: string, right: string) => number

/** `epoch:version-release`, each part in turn. */
function comparePackages(left: string, right: string, compare: PartCompare): number {
  const [a, b] = [packageParts(left), packageParts(right)]
  return compare(a.epoch, b.epoch) || compare(a.version, b.version) || compare(a.release, b.release)
}

function packageParts(text: string): { epoch: string; version: string; release: string } {
  const [, epoch = '0', rest = text] = /^(\d+):(.*)$/s.exec(text) ?? []
  const dash = rest.lastIndexOf('-')
  return dash < 0
    ? { epoch, version: rest, release: '' }
    : { epoch, version: rest.slice(0, dash), release: rest.slice(dash + 1) }
}

/** rpmvercmp: separators only separate, `~` sorts before the end, digits beat letters, longer beats shorter. */
function compareRuns(left: string, right: string): number {
  const [a, b] = [runs(left), runs(right)]
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const order = compareRun(a[index], b[index])
    if (order !== 0) return order
  }
  return 0
}

function compareRun(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0
  if (one === '~') return -1
  if (other === '~') return 1
  if (one === undefined) return -1
  if (other === undefined) return 1
  const [oneIsNumber, otherIsNumber] = [/^\d/.test(one), /^\d/.test(other)]
  if (oneIsNumber && otherIsNumber) return compareDigits(one, other)
  if (oneIsNumber !== otherIsNumber) return oneIsNumber ? 1 : -1
  return one < other ? -1 : 1
}

const runs = (text: string): string[] => text.match(/\d+|[a-z]+|~/gi) ?? []

function compareDigits(one: string, other: string): number {
  const [a, b] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')]
  if (a.length !== b.length) return a.length < b.length ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}

/** Debian policy §5.6.12: stretches of non-digits by modified ASCII order, stretches of digits as numbers. */
function compareDebian(left: string, right: string): number {
  const [a, b] = [debianStretches(left), debianStretches(right)]
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [one = '', other = ''] = [a[index], b[index]]
    const order = index % 2 === 0 ? compareNonDigits(one, other) : compareDigits(one, other)
    if (order !== 0) return order
  }
  return 0
}

/** Alternating, starting with a (maybe empty) stretch of non-digits. */
const debianStretches = (text: string): string[] =>
  [...text.matchAll(/(\D*)(\d*)/g)].flatMap((match) => (match[0] === '' ? [] : [match[1] ?? '', match[2] ?? '']))

function compareNonDigits(one: string, other: string): number {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = debianWeight(one[index]) - debianWeight(other[index])
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}

/** `~` before the end of the text, letters before everything else. */
function debianWeight(character: string | undefined): number {
  if (character === undefined) return 0
  if (character === '~') return -1
  const code = character.charCodeAt(0)
  return /[a-z]/i.test(character) ? code : code + 256
}
