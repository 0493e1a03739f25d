import { systemClock } from '../src/base/clock.ts'
import { loadConfig } from '../src/base/config/load-config.ts'
import { createLogger } from '../src/base/logging.ts'
import { startServer } from '../src/main.ts'
import { reportToBench } from './trial/process-report.ts'

// The server under test: the whole service in one process, as `muster start` runs it, with the product's settings.
const config = loadConfig(process.env)
const server = await startServer({
  config,
  clock: systemClock,
  log: createLogger(config.logLevel),
  roles: { api: true, worker: true },
})
reportToBench(server.address ?? '', () => server.stop())
