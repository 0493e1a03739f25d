import { makePreparedFolder } from '../prepared-folder.ts'

// Run after an install, so that the first start copies an empty database instead of making one.
await makePreparedFolder(undefined, Date.now())
