import { deliveryMethods } from '@muster/contract/delivery-methods.ts'
import { oktaDoubt, oktaSettings, oktaStream } from '@muster/contract/okta-stream.ts'
import type { SsfStream, SsfStreamCreation } from '@muster/contract/ssf-streams.ts'
import type { Static } from 'typebox'
import { transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { authorizationReader } from '../../signals/streams/authorization-header.ts'
import { createStream } from '../../signals/streams/create-stream.ts'
import { presentStream } from '../../signals/streams/present.ts'
import { findStreamRecord } from '../../signals/streams/queries.ts'
import { readStreamInput } from '../../signals/streams/stream-input.ts'
import type { Run } from '../describe-commands.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { plainText } from '../table.ts'
import type { streamGroup } from './stream-group.ts'

type NewStream = Static<typeof streamGroup.commands.add.args>

export const createStreamOf: Run<typeof streamGroup.commands.add> = async (
  { connection, secrets, config, now },
  given,
  io,
) => {
  const { id: organizationId } = await organizationOf(connection.db, given.organization)
  const { baseUrl, ssfPathIssuers: pathIssuers } = config
  const rules = { allowPrivate: config.allowPrivateReceivers }
  const context = terminalChange(organizationId, now)
  await ensureSigningKey(connection.db, secrets, { organizationId, purpose: 'signals' }, now)
  const stream = await transact(connection.db, async (tx) => {
    const input = readStreamInput(bodyOf(given))
    const { id, pollToken } = await createStream(tx, secrets, { baseUrl, pathIssuers, rules, input }, context)
    const row = orNotFound(await findStreamRecord(tx, organizationId, id, now))
    return presentStream(row, { baseUrl, authorizationOf: authorizationReader(secrets) }, pollToken)
  })
  for (const line of describe(stream, given.okta !== undefined)) await io.line(line)
}

function bodyOf({ name, okta, push, audience, authorization, layout, deviceFormat }: NewStream): SsfStreamCreation {
  if (okta !== undefined) {
    const stream = oktaStream(okta)
    const message = 'must be the address of your Okta organization, such as https://acme.okta.com'
    return { ...(stream ?? fail('invalid', { errors: [{ field: 'okta_url', message }] })), ...(name && { name }) }
  }
  return {
    ...(name !== undefined && { name }),
    ...(audience !== undefined && { aud: audience }),
    ...(layout !== undefined && { spec_version: layout }),
    ...(deviceFormat !== undefined && { device_subject_format: deviceFormat }),
    ...(authorization !== undefined && { authorization_header: authorization }),
    ...(push !== undefined && { delivery: { method: deliveryMethods.push, endpoint_url: push } }),
  }
}

function describe(stream: SsfStream, isOkta: boolean): string[] {
  const { id, name, delivery, poll_bearer_token: token } = stream
  const { issuer, jwksUrl } = oktaSettings(stream)
  const doubt = oktaDoubt(stream)
  const made = `Created the stream ${id}, "${plainText(name)}"`
  if (token !== undefined) {
    return [
      `${made}. Its receiver polls ${delivery.endpoint_url}`,
      'with this token as Authorization: Bearer; it is shown this once:',
      `  ${token}`,
    ]
  }
  const pushed = `${made}, pushed to ${new URL(delivery.endpoint_url).host}`
  if (!isOkta)
    return [
      pushed,
      'Its receiver verifies tokens by:',
      `  Issuer    ${issuer}`,
      `  Audience  ${stream.aud}`,
      `  JWKS URL  ${jwksUrl}`,
    ]
  return [
    pushed,
    'In Okta, open Security > Device Integrations > Receive shared signals, create a stream, and enter:',
    `  Issuer    ${issuer}`,
    `  JWKS URL  ${jwksUrl}`,
    ...(doubt === undefined ? [] : [doubt]),
  ]
}
