import { createSecretKey, randomBytes } from 'node:crypto'
import { apiVersions } from '@muster/contract/versions.ts'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../base/config/load-config.ts'
import type { Db } from '../../base/db/transact.ts'
import { linkCache, linksFor } from '../../base/links.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { minuteMs } from '../../base/time.ts'
import { admitter, authenticator, rateLimiter } from '../../http/authenticate.ts'
import type { Kit } from '../../http/kit.ts'
import { addressGuard } from '../../http/require-address.ts'
import { findOwnAddress } from '../../inventory/organizations/addresses.ts'
import { startAdmissions } from './admissions.ts'
import { collectKeyUses } from './record-key-use.ts'

type Parts = {
  config: Config
  connection: { db: Db }
  secrets: Secrets
  clock: Clock
  log: Logger
  rateLimitWindowMs?: number
}

const flushEveryMs = 30_000

/** Gives the app what all endpoints share, and keeps the last use of keys up to date while it runs. */
export function addKit(app: FastifyInstance, parts: Parts): void {
  const { config, connection, secrets, clock, log, rateLimitWindowMs: windowMs = minuteMs } = parts
  const { db } = connection
  const uses = collectKeyUses(db, clock)
  const admissions = startAdmissions({ db, windowMs, clock, onUse: uses.note })
  const holdToLimit = rateLimiter({ limitPerMinute: config.rateLimitPerMinute, windowMs })
  const admitKey = admitter(admissions.admit, holdToLimit)
  const ownAddressOf = (host: string) => findOwnAddress(db, host)
  const requireAddress = addressGuard(ownAddressOf, config.baseUrl)
  const links = linksFor(config.baseUrl)
  const kit: Kit = {
    config,
    db,
    secrets,
    clock,
    log,
    links,
    linksOf: linkCache(links),
    cursorKey: createSecretKey(secrets.lookupHash('list cursor', 'key')),
    admitKey,
    // Of no key, and never of one that a statement under way has.
    tryAdmission: async () => void (await admissions.admit(randomBytes(32))),
    ownAddressOf,
    requireAddress,
    scheme: {
      name: 'api_key',
      kinds: [],
      refusal: 401,
      prefix: '',
      origin: 'any',
      versions: apiVersions,
      isForEverybody: true,
      requires: authenticator(admitKey, holdToLimit, {
        secrets,
        clock,
        onPermissionUse: uses.notePermission,
        requireAddress,
      }),
    },
    operations: [],
  }
  app.decorate('kit', kit)
  app.decorateRequest('principal', undefined)
  app.decorateRequest('credential', undefined)
  app.decorateRequest('consoleSession', undefined)
  const flush = () =>
    uses.flush().catch((error: unknown) => log.warn({ err: error }, 'could not write the last uses of keys'))
  let timer: NodeJS.Timeout | undefined
  app.addHook('onReady', (done) => {
    timer = setInterval(() => void flush(), flushEveryMs).unref()
    done()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await flush()
  })
}
