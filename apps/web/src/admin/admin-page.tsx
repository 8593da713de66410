import type { PageProps } from '../app.tsx'
export function AdminPage(_: PageProps) {
  return null
}
