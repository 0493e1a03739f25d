import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

type Narrowed = { readonly device?: string; readonly after?: string | undefined }

export const tableRecordsQuery = (name: string, { device, after }: Narrowed) =>
  queryOptions({
    queryKey: ['reporting', 'records', name, device, after],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = device === undefined ? '' : `device_id:"${device}"`
      return api('listTableRecords', {
        params: { tableName: name },
        query: { query, per_page: 50, cursor: after },
        signal,
      })
    },
  })
