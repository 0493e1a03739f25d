import { operations } from '@muster/contract/operations/all-operations.ts'

const name = 'virtual:operations'

/** What a page needs of the operations at run time: method and path. Their schemas stay out of the browser. */
export const operationAddresses = {
  name: 'operation-addresses',
  resolveId: (id: string) => (id === name ? `\0${name}` : undefined),
  load: (id: string) => (id === `\0${name}` ? writeAddresses() : undefined),
}

function writeAddresses(): string {
  const forPages = Object.values(operations).filter((one) => !('permission' in one && one.permission === 'public'))
  const addresses = forPages.map(({ operationId, method, path }) => [operationId, `${method} ${path}`])
  return `export const addresses = ${JSON.stringify(Object.fromEntries(addresses))}`
}
