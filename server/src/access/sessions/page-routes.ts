import type { FastifyInstance } from 'fastify'
import { addConsolePages } from '../../http/console-pages.ts'
import { consoleHeaders } from './page-headers.ts'

/** The pages themselves, for everyone: what they show is behind a session. */
export const consolePageRoutes = (app: FastifyInstance, notice: string | undefined): void =>
  addConsolePages(app, consoleHeaders(app.kit.config.baseUrl), { notice })
