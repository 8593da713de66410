import { useEffect } from 'preact/hooks'
import { usePanel } from '../data/panel.ts'

/** Asks for answers again when the audit log tells of an operation by any admin. @param path the beginning of their paths */
export function useOutdatedByEntries(operation: RegExp, path: string): void {
  const { connection, queries } = usePanel()
  useEffect(
    () =>
      connection.on('audit_new_entry', ({ operationType }) => {
        if (operation.test(operationType)) queries.invalidate(path)
      }),
    [connection, queries, path],
  )
}
