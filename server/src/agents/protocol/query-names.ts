import type { Secrets } from '../../base/secrets/secrets.ts'
import { dayMs } from '../../base/time.ts'

/** A check or a live query's campaign at a revision, or the files of a device's companions, whose id is the device's. */
export type HandedOutQuery = {
  kind: 'check' | 'campaign' | 'link'
  id: string
  revision: string
  issuedAtMs: number
}
type Device = { organizationId: string; deviceId: string }

const purpose = 'distributed query'
/** Its code, 16 bytes, has one spelling: a result counts once under its name. */
const form = /^(check|campaign|link)\/([1-9]\d{0,18})\/([1-9]\d{0,18})\/([0-9a-z]{1,9})\/([\w-]{21}[AQgw])$/

/** An answer that comes later than this speaks of a device as it no longer is. */
const maxLifeMs = dayMs

const messageOf = ({ organizationId, deviceId }: Device, rest: string) => `${organizationId}/${deviceId}/${rest}`

/**
 * The name under which a device is asked something. It carries all that the answer needs, with a code that only our key
 * can make for exactly this device, so that any process can take the answer to what any other has asked.
 */
export function queryName(secrets: Secrets, device: Device, query: HandedOutQuery): string {
  const rest = `${query.kind}/${query.id}/${query.revision}/${query.issuedAtMs.toString(36)}`
  return `${rest}/${secrets.sign(purpose, messageOf(device, rest)).toString('base64url')}`
}

/**
 * What was asked under this name; undefined for names that were not handed to this device, or too long ago. The code of a
 * name that is remembered as handed to the device has nothing left to prove.
 */
export function parseQueryName(secrets: Secrets, device: Device, name: string, nowMs: number, isRemembered = false) {
  const match = form.exec(name)
  if (!match) return undefined
  const [, kind, id = '', revision = '', issued = '', code = ''] = match
  const query: HandedOutQuery = {
    kind: kind === 'campaign' || kind === 'link' ? kind : 'check',
    id,
    revision,
    issuedAtMs: Number.parseInt(issued, 36),
  }
  if (nowMs - query.issuedAtMs > maxLifeMs) return undefined
  if (isRemembered) return query
  const rest = name.slice(0, -code.length - 1)
  return secrets.verify(purpose, messageOf(device, rest), Buffer.from(code, 'base64url')) ? query : undefined
}
