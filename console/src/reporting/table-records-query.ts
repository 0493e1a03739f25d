import { query } from '../api/query.ts'

type Narrowed = { readonly device?: string; readonly after?: string | undefined }

export const tableRecordsQuery = (name: string, { device, after }: Narrowed) =>
  query('listTableRecords', {
    params: { tableName: name },
    query: { query: device === undefined ? '' : `device_id:"${device}"`, per_page: 50, cursor: after },
  })
