import Fastify from 'fastify'
import { reportToBench } from '../trial/process-report.ts'

// What a framework costs that reads a body and answers a constant.
const app = Fastify()
const idle = '{"queries":{},"node_invalid":false}'
app.post('/api/v1/osquery/distributed/read', async (_request, reply) =>
  reply.header('content-type', 'application/json').send(idle),
)
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
reportToBench(origin, () => app.close())
