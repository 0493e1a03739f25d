import { listAll } from '@muster/client/list-all.ts'
import { createMusterClient } from '@muster/client/muster-client.ts'
import { MusterError } from '@muster/client/muster-error.ts'

const [baseUrl = 'https://muster.example.com', apiKey = ''] = process.argv.slice(2)
const muster = createMusterClient({ baseUrl, apiKey })

// One record.
const organization = await muster.get('/whoami')
console.log(organization.organization_name)

// Every page of a list, each fetched when it is reached.
for await (const device of listAll(muster, '/devices', { query: { query: 'device_type:Mac' } })) {
  console.log(device.name, device.auth_state)
}

// A change. What the service refuses is thrown.
try {
  await muster.patch('/checks/{checkId}/configurations', {
    params: { checkId: '203' },
    body: { remediation_strategy: 'warn_then_block' },
  })
} catch (error) {
  if (error instanceof MusterError && error.code === 'permission_missing') console.error(error.message)
  else throw error
}
