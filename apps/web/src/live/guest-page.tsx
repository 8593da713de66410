import type { PageProps } from '../app.tsx'
export function GuestPage(_: PageProps) {
  return null
}
