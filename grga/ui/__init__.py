"""The pages of the app: view functions make HTML, tabs lay out and wire. Only here lives Gradio."""
