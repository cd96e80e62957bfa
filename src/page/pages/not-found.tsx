import { Missing } from "../../ui/feedback.js";

export function NotFound() {
  return (
    <Missing title="There is no such page">
      <a href="/">Go to the overview</a>
    </Missing>
  );
}
